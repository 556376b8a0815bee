import { type ColumnFields, type Columns, type FileFormat, PetFileError } from './file-format.ts'
import { type Line, readLines } from './lines.ts'
import { isCategory, petFields } from './record.ts'

// Comma-separated values (RFC 4180): pets only, one per row, below a row of column names. In many countries spreadsheets separate with
// semicolons, because decimals have a comma; the first line of a file shows which it uses. We write commas.

const columnNames = {
  portable: ['name', 'category', 'status', 'stock'],
  'with-ids': ['id', 'name', 'categoryId', 'category', 'status', 'stock'],
} as const satisfies Record<Columns, readonly string[]>
/** Stands for the name of a column that is not read. */
const leftOut = ''
const numberColumns = new Set(['id', 'categoryNumber', 'categoryId', 'stock'])
/** An unclosed quote must not swallow the rest of the file. */
const rowLinesMax = 1_000
const rowLengthMax = 1_000_000
const previewRows = 3

export const csv: FileFormat = {
  head: (columns) => `${columnNames[columns].join(',')}\n`,
  write: (record, columns) =>
    isCategory(record) ? '' : `${columnNames[columns].map((name) => formatCell(record[name])).join(',')}\n`,
  async *read(chunks, { columns } = {}) {
    let names: ColumnFields | undefined
    for await (const { line, bytes, text, cells, separator } of readRows(readLines(chunks))) {
      if (cells === undefined) {
        yield { line, bytes, text, fault: 'is not a valid CSV row: misplaced quote, too long or not UTF-8' }
      } else if (names === undefined) names = columns ? checkFields(columns, cells) : checkNames(cells)
      else if (cells.length > 1 || cells[0]?.trim()) {
        if (cells.length === names.length) yield { line, bytes, text, value: toRecord(names, cells, separator) }
        else yield { line, bytes, text, fault: `has ${cells.length} cells instead of ${names.length}` }
      }
    }
  },
  async preview(chunks) {
    const rows: string[][] = []
    let head = ''
    for await (const { text, cells } of readRows(readLines(chunks))) {
      if (rows.length === 0) head = text
      if (cells) rows.push(cells)
      if (rows.length > previewRows) break
    }
    const [columns = [], ...examples] = rows
    return { columns: columns.map((cell) => cell.trim()), rows: examples, head }
  },
  writeRejected: (rejections, head) =>
    [
      `${head}${separatorIn(head)}fault`,
      ...rejections.map(({ text = '', message }) => writeRejectedRow(text, message, separatorIn(head))),
      '',
    ].join('\n'),
}

const separators = [',', ';', '\t'] as const
type Separator = (typeof separators)[number]

/** The separator of a file: the one that its first line has most often, outside of quotes. */
function separatorIn(head: string): Separator {
  const bare = head.replace(/"[^"]*"?/g, '')
  const countOf = (separator: string) => bare.split(separator).length
  return separators.reduce((most, other) => (countOf(other) > countOf(most) ? other : most))
}

/** A row that cannot be read becomes one cell, so that it does not spoil the rows after it. */
function writeRejectedRow(text: string, message: string, separator: Separator): string {
  const row = Array.isArray(splitRow(text, separator)) ? text : formatCell(text)
  return `${row}${separator}${formatCell(message)}`
}

function formatCell(value: string | number | undefined): string {
  const text = typeof value === 'string' ? escapeFormula(value) : String(value ?? '')
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// A spreadsheet runs a cell that starts like this as a formula; a leading apostrophe marks it as text.
const escapeFormula = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text)
const unescapeFormula = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

function checkNames(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.trim())
  const unknown = names.filter((name) => !petFields.includes(name))
  // Lines that were rejected twice have two faults, which are not read.
  const repeated = findRepeated(names.filter((name) => name !== 'fault'))
  if (unknown.length === 0 && repeated) throw new PetFileError(`The first line has the column "${repeated}" twice.`)
  if (unknown.length === 0 && names.includes('name')) return names
  const found = unknown.length > 0 ? ` Unknown: ${unknown.map((name) => `"${name}"`).join(', ')}.` : ''
  throw new PetFileError(`The first line must name the columns: name, and any of ${petFields.join(', ')}.${found}`)
}

const findRepeated = (fields: readonly string[]): string | undefined =>
  fields.find((field, index) => fields.indexOf(field) !== index)

function checkFields(columns: ColumnFields, cells: readonly string[]): ColumnFields {
  if (columns.length !== cells.length) {
    throw new PetFileError(
      `The file has ${cells.length} columns, but ${columns.length} are named. Name every column, or skip it.`,
    )
  }
  const fields = columns.filter((field) => field !== undefined)
  const unknown = fields.filter((field) => !petFields.includes(field))
  if (unknown.length > 0)
    throw new PetFileError(`There is no such field: ${unknown.join(', ')}. Use ${petFields.join(', ')}.`)
  const repeated = findRepeated(fields)
  if (repeated) throw new PetFileError(`Two columns hold the ${repeated}. Skip one of them.`)
  if (!fields.includes('name')) throw new PetFileError('No column holds the name. Say which one does.')
  return columns
}

/** An empty cell is an absent field. A malformed number stays text, which the record's rules reject. */
function toRecord(names: ColumnFields, cells: readonly string[], separator: Separator): object {
  const fields = names.map((name = leftOut, index) => {
    const cell = unescapeFormula(cells[index] ?? '')
    return [name, (numberColumns.has(name) ? parseWhole(cell.trim(), separator) : undefined) ?? cell]
  })
  return Object.fromEntries(fields.filter(([name, cell]) => name !== leftOut && cell !== ''))
}

/** Whole numbers as spreadsheets write them. Semicolons are used where twelve hundred is 1.200,00 instead of 1,200.00. */
const wholeNumbers: Readonly<Record<Separator, RegExp>> = {
  ',': /^(\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.0+)?$/,
  ';': /^(\d{1,3}(?:\.\d{3})+|\d{1,15})(?:,0+)?$/,
  // Either, so grouped digits could be decimals.
  '\t': /^(\d{1,15})(?:[.,]0{1,2})?$/,
}

function parseWhole(cell: string, separator: Separator): number | undefined {
  const digits = wholeNumbers[separator].exec(cell)?.[1]?.replace(/\D/g, '')
  return digits === undefined || digits.length > 15 ? undefined : Number(digits)
}

interface Row {
  readonly line: number
  readonly bytes: number
  readonly text: string
  /** Undefined if the row is malformed. */
  readonly cells: string[] | undefined
  readonly separator: Separator
}

/** Reads rows. A row continues on the next line while a quoted cell is open. */
async function* readRows(lines: AsyncIterable<Line>): AsyncGenerator<Row, void, undefined> {
  let row = { line: 0, text: '', lineCount: 0 }
  let end = 0
  let separator: Separator | undefined
  for await (const { line, bytes, text } of lines) {
    end = bytes
    row = row.lineCount === 0 ? { line, text: '', lineCount: 1 } : { ...row, lineCount: row.lineCount + 1 }
    row.text += text ?? ''
    separator ??= separatorIn(row.text)
    const cells = text === undefined ? undefined : splitRow(row.text.replace(/\r$/, ''), separator)
    if (cells === 'open' && row.lineCount < rowLinesMax && row.text.length < rowLengthMax) {
      row.text += '\n'
      continue
    }
    const known = cells === 'open' ? undefined : cells
    yield { line: row.line, bytes, text: row.text.replace(/\r$/, ''), cells: known, separator }
    row.lineCount = 0
  }
  if (row.lineCount > 0)
    yield { line: row.line, bytes: end, text: row.text, cells: undefined, separator: separator ?? ',' }
}

/** A quoted cell with its closing quote, which may be missing at the end, or a bare cell; then a separator or the end. */
const cellPatternFor = (separator: Separator) =>
  new RegExp(`(?:"([^"]*(?:""[^"]*)*)("|$)|([^"${separator}][^${separator}]*|))(${separator}|$)`, 'y')

const cellPatterns = new Map(separators.map((separator) => [separator, cellPatternFor(separator)]))

/** The cells of a row; `open` if a quote is not closed, undefined if text follows a closing quote. */
function splitRow(text: string, separator: Separator): string[] | 'open' | undefined {
  const cellPattern = cellPatterns.get(separator) as RegExp
  const cells: string[] = []
  cellPattern.lastIndex = 0
  for (;;) {
    const match = cellPattern.exec(text)
    if (!match) return undefined
    const [, quoted, closingQuote, bare = '', end] = match
    if (closingQuote === '') return 'open'
    cells.push(quoted?.replaceAll('""', '"') ?? bare)
    if (end === '') return cells
  }
}
