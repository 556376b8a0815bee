import { type Columns, type FileFormat, PetFileError } from './file-format.ts'
import { type Line, readLines } from './lines.ts'
import { isCategory, petFields } from './record.ts'

// Comma-separated values (RFC 4180): pets only, one per row, below a row of column names.

const columnNames = {
  portable: ['name', 'category', 'status', 'stock'],
  'with-ids': ['id', 'name', 'categoryId', 'category', 'status', 'stock'],
} as const satisfies Record<Columns, readonly string[]>
const numberColumns = new Set(['id', 'categoryNumber', 'categoryId', 'stock'])
/** An unclosed quote must not swallow the rest of the file. */
const rowLinesMax = 1_000

export const csv: FileFormat = {
  head: (columns) => `${columnNames[columns].join(',')}\n`,
  write: (record, columns) =>
    isCategory(record) ? '' : `${columnNames[columns].map((name) => formatCell(record[name])).join(',')}\n`,
  async *read(chunks) {
    let names: string[] | undefined
    for await (const { line, bytes, cells } of readRows(readLines(chunks))) {
      if (cells === undefined) {
        yield { line, bytes, fault: 'is not a valid CSV row: misplaced quote, too long or not UTF-8' }
      } else if (names === undefined) names = checkNames(cells)
      else if (cells.length > 1 || cells[0]?.trim()) {
        if (cells.length === names.length) yield { line, bytes, value: toRecord(names, cells) }
        else yield { line, bytes, fault: `has ${cells.length} cells instead of ${names.length}` }
      }
    }
  },
}

function formatCell(value: string | number | undefined): string {
  const text = typeof value === 'string' ? escapeFormula(value) : String(value ?? '')
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// A spreadsheet runs a cell that starts like this as a formula; a leading apostrophe marks it as text.
const escapeFormula = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text)
const unescapeFormula = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

function checkNames(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.trim())
  const unknown = names.filter((name) => !petFields.includes(name))
  if (unknown.length === 0 && names.includes('name')) return names
  const found = unknown.length > 0 ? ` Unknown: ${unknown.map((name) => `"${name}"`).join(', ')}.` : ''
  throw new PetFileError(`The first line must name the columns: name, and any of ${petFields.join(', ')}.${found}`)
}

/** An empty cell is an absent field. A malformed number stays text, which the record's rules refuse. */
function toRecord(names: readonly string[], cells: readonly string[]): object {
  const fields = names.map((name, index) => {
    const cell = unescapeFormula(cells[index] ?? '')
    return [name, numberColumns.has(name) && /^\d{1,15}$/.test(cell.trim()) ? Number(cell) : cell]
  })
  return Object.fromEntries(fields.filter(([, cell]) => cell !== ''))
}

interface Row {
  readonly line: number
  readonly bytes: number
  /** Undefined if the row is malformed. */
  readonly cells: string[] | undefined
}

/** A row that is being read. */
interface OpenRow {
  readonly line: number
  readonly cells: string[]
  /** The quoted cell that is still open at the end of the line. */
  quoted: string | undefined
  lineCount: number
}

/** Reads rows. A row continues on the next line while a quoted cell is open. */
async function* readRows(lines: AsyncIterable<Line>): AsyncGenerator<Row, void, undefined> {
  let row: OpenRow | undefined
  let end = 0
  for await (const { line, bytes, text } of lines) {
    end = bytes
    row ??= { line, cells: [], quoted: undefined, lineCount: 0 }
    row.lineCount++
    const isValid = text !== undefined && readCells(row, text)
    if (isValid && row.quoted !== undefined && row.lineCount < rowLinesMax) continue
    yield { line: row.line, bytes, cells: isValid && row.quoted === undefined ? row.cells : undefined }
    row = undefined
  }
  if (row) yield { line: row.line, bytes: end, cells: undefined }
}

/** Adds the cells of a line to its row; false if text follows a closing quote. */
function readCells(row: OpenRow, text: string): boolean {
  let at = 0
  if (row.quoted !== undefined) row.quoted += '\n'
  for (;;) {
    if (row.quoted === undefined && text[at] === '"') {
      row.quoted = ''
      at++
    }
    if (row.quoted === undefined) {
      const comma = text.indexOf(',', at)
      row.cells.push(comma < 0 ? text.slice(at).replace(/\r$/, '') : text.slice(at, comma))
      if (comma < 0) return true
      at = comma + 1
      continue
    }
    const quote = findClosingQuote(text, at)
    row.quoted += text.slice(at, quote < 0 ? undefined : quote).replaceAll('""', '"')
    if (quote < 0) return true
    row.cells.push(row.quoted)
    row.quoted = undefined
    at = quote + 1
    if (/^\r?$/.test(text.slice(at, at + 2))) return true
    if (text[at] !== ',') return false
    at++
  }
}

/** The first quote that is not doubled. */
function findClosingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (quote >= 0 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2)
  return quote
}
