import { stripControls } from './controls.ts'
import { cutText, textWidth } from './text-width.ts'

/** A column of a table: its title and the cell of a row. */
export type Column<Row> = readonly [title: string, cell: (row: Row) => string | number | boolean | undefined]

export interface TableStyle {
  /** Whether titles are bold. */
  readonly hasColors: boolean
  /** The columns of the terminal; undefined for no limit. */
  readonly widthMax: number | undefined
}

const gap = '  '
const cellWidthMin = 8

/** Formats rows as a table that fits the terminal: the widest cells are cut, numbers never. */
export function formatTable<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  { hasColors, widthMax = Number.POSITIVE_INFINITY }: TableStyle,
): string {
  const values = rows.map((row) => columns.map(([, cell]) => cell(row)))
  const cells = values.map((row) => row.map((value) => stripControls(String(value ?? ''))))
  const widths = columns.map(([title], index) =>
    Math.max(title.length, ...cells.map((row) => textWidth(row[index] ?? ''))),
  )
  const isNumeric = columns.map((_, index) => values.some((row) => typeof row[index] === 'number'))
  const fitted = fitWidths(widths, isNumeric, widthMax)
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padText(cutText(text, fitted[index] ?? 0), fitted[index] ?? 0))
      .join(gap)
      .trimEnd()
  const titles = line(columns.map(([title]) => title))
  return [hasColors ? `\x1b[1m${titles}\x1b[22m` : titles, ...cells.map(line)].map((text) => `${text}\n`).join('')
}

/** Narrows the widest columns until the table fits, but none below a readable width. */
function fitWidths(widths: readonly number[], isNumeric: readonly boolean[], widthMax: number): number[] {
  const cap = (max: number) => widths.map((width, index) => (isNumeric[index] ? width : Math.min(width, max)))
  const total = (all: readonly number[]) => all.reduce((sum, width) => sum + width, gap.length * (all.length - 1))
  let max = Math.max(...widths)
  while (max > cellWidthMin && total(cap(max)) > widthMax) max--
  return cap(max)
}

const padText = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - textWidth(text)))
