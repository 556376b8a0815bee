import type { List } from '@petstore/sdk'
import { csvLine } from './csv.ts'

export type Format = 'csv' | 'ndjson'

const types: Record<Format, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

interface Task<T> {
  readonly list: List<T>
  readonly format: Format
  readonly columns: readonly (readonly [name: string, value: (row: T) => string | number | undefined])[]
  readonly name: string
  readonly told: (count: number) => void
  readonly signal: AbortSignal
}

/** Reads a list to its end, page by page, and hands it over as a file. */
export async function exportList<T>({ list, format, columns, name, told, signal }: Task<T>): Promise<void> {
  const parts: string[] = format === 'csv' ? [csvLine(columns.map(([title]) => title))] : []
  let count = 0
  for await (const { items } of list.pages()) {
    if (signal.aborted) return
    parts.push(
      items
        .map((row) =>
          format === 'csv'
            ? csvLine(columns.map(([, value]) => value(row)))
            : `${JSON.stringify(objectOf(row, columns))}\n`,
        )
        .join(''),
    )
    count += items.length
    told(count)
  }
  const address = URL.createObjectURL(new Blob(parts, { type: types[format] }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}.${format}`
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

const objectOf = <T>(row: T, columns: Task<T>['columns']) =>
  Object.fromEntries(columns.map(([name, value]) => [name, value(row)]))
