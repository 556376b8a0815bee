import type { PetProfile, PetStore } from '@petstore/sdk'
import type { Format } from './format.ts'
import type { CategoryRecord, PetRecord } from './record.ts'

const pageMax = 100

interface Page {
  readonly text: string
  readonly count: number
  /** Where the next page begins; absent on the last one. */
  readonly next: string | undefined
}

/** The text of the export page by page, from the beginning or from a cursor on. */
export async function* pagesOf(shop: PetStore, format: Format, cursor: string | undefined): AsyncGenerator<Page> {
  const categories = await numberedCategories(shop)
  const heading = cursor === undefined ? format.head + [...categories.values()].map(format.write).join('') : ''
  let isFirst = true
  for await (const { items, next } of shop.pets.profiles({ limit: pageMax, ...(cursor && { cursor }) }).pages()) {
    const lines = items.map((pet) => format.write(recordOf(pet, categories.get(pet.categoryId)?.number)))
    yield { text: (isFirst ? heading : '') + lines.join(''), count: items.length, next }
    isFirst = false
  }
}

/** By id: those that share a name are told apart by their order. */
async function numberedCategories(shop: PetStore): Promise<Map<number, CategoryRecord>> {
  const sharing = new Map<string, number>()
  const records = new Map<number, CategoryRecord>()
  for await (const { id, name, description } of shop.categories.list({ limit: pageMax })) {
    const number = (sharing.get(name) ?? 0) + 1
    sharing.set(name, number)
    records.set(id, {
      kind: 'category',
      name,
      ...(number > 1 && { number }),
      ...(description !== undefined && { description }),
    })
  }
  return records
}

const recordOf = ({ name, category, status, stock }: PetProfile, number: number | undefined): PetRecord => ({
  kind: 'pet',
  name,
  category: category.name,
  ...(number !== undefined && { categoryNumber: number }),
  status,
  stock,
})
