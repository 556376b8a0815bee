import type { PetProfile } from '../names.ts'
import type { Query } from '../operation.ts'
import type { PetStore } from '../petstore.ts'
import type { Columns, FileFormat } from './file-format.ts'
import type { CategoryRecord, PetRecord } from './record.ts'

const pageSize = 100

export interface ExportPage {
  readonly text: string
  readonly pets: number
  /** Cursor of the next page; absent on the last one. */
  readonly next: string | undefined
}

export interface ExportOptions {
  readonly format: FileFormat
  /** `portable` writes the categories too, where the format can. */
  readonly columns: Columns
  /** Where to continue an interrupted export. */
  readonly cursor?: string | undefined
  /** Which pets; all of them unless given. */
  readonly filters?: Omit<NonNullable<Query<'get', '/pets/profiles'>>, 'cursor' | 'limit'>
  readonly signal?: AbortSignal | undefined
}

/** The text of a pet file, page by page. */
export async function* exportPages(
  shop: PetStore,
  { format, columns, cursor, filters, signal }: ExportOptions,
): AsyncGenerator<ExportPage, void, undefined> {
  const categories = await loadCategoryRecords(shop, signal)
  const written = columns === 'portable' ? [...categories.values()] : []
  let text = cursor ? '' : format.head(columns) + written.map((record) => format.write(record, columns)).join('')
  const query = { ...filters, limit: pageSize, ...(cursor && { cursor }) }
  for await (const { items, next } of shop.pets.profiles(query, { signal }).pages()) {
    for (const pet of items) {
      text += format.write(toRecord(pet, categories.get(pet.categoryId)?.number, columns), columns)
    }
    yield { text, pets: items.length, next }
    text = ''
  }
}

/** By id. Categories that share a name are numbered by id. */
async function loadCategoryRecords(
  shop: PetStore,
  signal: AbortSignal | undefined,
): Promise<Map<number, CategoryRecord>> {
  const countByName = new Map<string, number>()
  const records = new Map<number, CategoryRecord>()
  for await (const { id, name, description } of shop.categories.list({ limit: pageSize }, { signal })) {
    const number = (countByName.get(name) ?? 0) + 1
    countByName.set(name, number)
    records.set(id, {
      kind: 'category',
      name,
      ...(number > 1 && { number }),
      ...(description !== undefined && { description }),
    })
  }
  return records
}

const toRecord = (
  { id, name, categoryId, category, status, stock }: PetProfile,
  categoryNumber: number | undefined,
  columns: Columns,
): PetRecord => ({
  kind: 'pet',
  ...(columns === 'with-ids' && { id }),
  name,
  ...(columns === 'with-ids' && { categoryId }),
  category: category.name,
  ...(categoryNumber !== undefined && { categoryNumber }),
  status,
  stock,
})
