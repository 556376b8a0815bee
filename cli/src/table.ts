import { stripControls } from './controls.ts'

/** A column of a table: its title and the cell of a row. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number | boolean | undefined]

const cellLengthMax = 60

/** Formats rows as a table. `hasColors` makes titles bold. Only the last column may be of any width. */
export function formatTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[], hasColors: boolean): string {
  const cells = rows.map((row) => columns.map(([, cell], index) => formatCell(cell(row), index === columns.length - 1)))
  const widths = columns.map(([title], index) => Math.max(title.length, ...cells.map((row) => width(row[index] ?? ''))))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - width(text))))
      .join('  ')
      .trimEnd()
  const titles = line(columns.map(([title]) => title))
  return [hasColors ? `\x1b[1m${titles}\x1b[22m` : titles, ...cells.map(line)].map((text) => `${text}\n`).join('')
}

function formatCell(value: string | number | boolean | undefined, isLast: boolean): string {
  const text = stripControls(String(value ?? ''))
  return isLast || text.length <= cellLengthMax ? text : `${text.slice(0, cellLengthMax - 1)}…`
}

const width = (text: string): number => Bun.stringWidth(text)
