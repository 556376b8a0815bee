import { Failure } from '../failure.ts'
import type { Format } from './format.ts'
import { type Line, linesIn } from './lines.ts'
import { type CategoryRecord, isCategory, type PetRecord, petFields } from './record.ts'

// Comma-separated values as RFC 4180 has them: pets only, one a row, under a row of names.

const written = ['name', 'category', 'status', 'stock'] as const
const numbers = new Set(['categoryNumber', 'categoryId', 'stock'])
/** A quote that is never closed must not swallow the rest of the file. */
const linesInRowMax = 1_000

export const csv: Format = {
  head: `${written.join(',')}\n`,
  write: (record: CategoryRecord | PetRecord) =>
    isCategory(record) ? '' : `${written.map((field) => quoted(record[field])).join(',')}\n`,
  async *read(chunks) {
    let names: string[] | undefined
    for await (const { line, bytes, cells } of rowsIn(linesIn(chunks))) {
      if (cells === undefined)
        yield { line, bytes, fault: 'is no row: a quote is amiss, or it is too long or no UTF-8' }
      else if (names === undefined) names = checkedNames(cells)
      else if (cells.length > 1 || cells[0]?.trim()) {
        if (cells.length === names.length) yield { line, bytes, value: recordOf(names, cells) }
        else yield { line, bytes, fault: `has ${cells.length} cells in place of ${names.length}` }
      }
    }
  },
}

const quoted = (value: string | number | undefined): string => {
  const text = asText(String(value ?? ''))
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

// A spreadsheet takes what begins like this for a formula and runs it; an apostrophe says that it is text.
const asText = (text: string): string => (/^'*[=+\-@\t\r]/.test(text) ? `'${text}` : text)

/** Takes away what asText has put in front. */
const fromText = (cell: string): string => (/^'+[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell)

function checkedNames(cells: readonly string[]): string[] {
  const names = cells.map((cell) => cell.trim())
  const unknown = names.filter((name) => !petFields.includes(name))
  if (unknown.length === 0 && names.includes('name')) return names
  throw new Failure(
    `The first line must name the columns, of these: ${petFields.join(', ')}.${unknown.length > 0 ? ` It has ${unknown.map((name) => `"${name}"`).join(', ')}.` : ''}`,
  )
}

/** An empty cell says nothing; a number that is none stays text, which the record's rules then refuse. */
function recordOf(names: readonly string[], cells: readonly string[]): object {
  const pairs = names
    .map((name, index) => [name, fromText(cells[index] ?? '')] as const)
    .filter(([, cell]) => cell !== '')
  return Object.fromEntries(
    pairs.map(([name, cell]) => [name, numbers.has(name) && /^\d{1,15}$/.test(cell.trim()) ? Number(cell) : cell]),
  )
}

interface Row {
  readonly line: number
  readonly bytes: number
  readonly cells: string[] | undefined
}

/** A row goes on over lines while a quote is open. */
async function* rowsIn(lines: AsyncIterable<Line>): AsyncGenerator<Row, void, undefined> {
  let open: { line: number; text: string; count: number } | undefined
  let last = 0
  for await (const { line, bytes, text } of lines) {
    last = bytes
    if (text === undefined) {
      yield { line: open?.line ?? line, bytes, cells: undefined }
      open = undefined
      continue
    }
    open = open ? { ...open, text: `${open.text}\n${text}`, count: open.count + 1 } : { line, text, count: 1 }
    const isWhole = (open.text.split('"').length - 1) % 2 === 0
    if (!isWhole && open.count < linesInRowMax) continue
    yield { line: open.line, bytes, cells: isWhole ? cellsOf(open.text.replace(/\r$/, '')) : undefined }
    open = undefined
  }
  if (open) yield { line: open.line, bytes: last, cells: undefined }
}

/** Undefined when something stands beside a quoted cell. */
function cellsOf(text: string): string[] | undefined {
  const cells: string[] = []
  let length = 0
  // Each match is a cell: a quoted one, or whatever stands before the next comma.
  for (const [match, inQuotes, bare] of `,${text}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,"]*))/g)) {
    cells.push(inQuotes === undefined ? (bare ?? '') : inQuotes.replaceAll('""', '"'))
    length += match.length
  }
  return length === text.length + 1 ? cells : undefined
}
