import type { ColumnFields } from './file-format.ts'
import { petFields } from './record.ts'

/** Words that other programs use for a field. The first field that fits a column gets it. */
const otherNames: readonly (readonly [field: string, pattern: RegExp])[] = [
  ['categoryId', /^(category|kind|type|species) ?(id|number|no)$/],
  ['category', /^(category|kind|type|species|breed|group|animal ?type)( name)?$/],
  ['name', /^((pet|animal|product|item)( name)?|full name|title)$/],
  ['stock', /^(stock|quantity|qty|count|amount|in stock|on hand|units)$/],
  ['status', /^(state|availability)$/],
]

/** What the columns of a file may hold, judged by their names; undefined for unknown ones. */
export function suggestFields(columns: readonly string[]): ColumnFields {
  const taken = new Set<string>()
  const take = (field: string | undefined) => {
    if (field === undefined || taken.has(field)) return undefined
    taken.add(field)
    return field
  }
  // Exact names come first, wherever they are.
  const exact = columns.map((column) => take(petFields.find((field) => field === column)))
  return columns.map((column, index) => {
    const words = toWords(column)
    const known = petFields.find((field) => field.toLowerCase() === words.replaceAll(' ', ''))
    return exact[index] ?? take(known ?? otherNames.find(([, pattern]) => pattern.test(words))?.[0])
  })
}

const toWords = (column: string): string =>
  column
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ')
