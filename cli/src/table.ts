import { cleaned } from './controls.ts'

/** A column of a table: what it is called, and what a row has in it. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number | boolean | undefined]

const cellLengthMax = 60

/** Rows as text under each other; `hasColors` marks the titles. The last column may be as wide as it likes. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], hasColors: boolean): string {
  const cells = rows.map((row) => columns.map(([, cell], index) => written(cell(row), index === columns.length - 1)))
  const widths = columns.map(([title], index) => Math.max(title.length, ...cells.map((row) => width(row[index] ?? ''))))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => text + ' '.repeat(Math.max(0, (widths[index] ?? 0) - width(text))))
      .join('  ')
      .trimEnd()
  const titles = line(columns.map(([title]) => title))
  return [hasColors ? `\x1b[1m${titles}\x1b[22m` : titles, ...cells.map(line)].map((text) => `${text}\n`).join('')
}

function written(value: string | number | boolean | undefined, isLast: boolean): string {
  const text = cleaned(String(value ?? ''))
  return isLast || text.length <= cellLengthMax ? text : `${text.slice(0, cellLengthMax - 1)}…`
}

const width = (text: string): number => Bun.stringWidth(text)
