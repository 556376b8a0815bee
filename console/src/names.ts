import type { Page } from '@petstore/sdk'
import { hasScope, store } from './session.ts'

const idsMax = 100

/** The names of pets by id. Deleted pets, and pets that the key cannot see, have none. */
export async function loadPetNames(ids: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const uniqueIds = [...new Set(ids)].slice(0, idsMax)
  if (uniqueIds.length === 0 || !hasScope('pets:read')) return new Map()
  const pets = await store().pets.list({ ids: uniqueIds, limit: idsMax }, { signal }).toArray()
  return new Map(pets.map(({ id, name }) => [id, name]))
}

export type WithPetName<T> = T & { readonly petName: string | undefined }

/** Adds the name of its pet to each item, if it has one. */
export async function addPetNames<T extends { readonly petId: number }>(
  { items, ...rest }: Page<T>,
  signal: AbortSignal,
): Promise<Page<WithPetName<T>>> {
  const ids = items.map(({ petId }) => petId)
  const names = await loadPetNames(ids, signal)
  return { ...rest, items: items.map((item) => ({ ...item, petName: names.get(item.petId) })) }
}

/** The names of categories by id: from the first page of the list, the others one by one. */
export async function loadCategoryNames(
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>()
  const { items } = await store().categories.list({ limit: 100 }, { signal }).firstPage()
  for (const { id, name } of items) names.set(id, name)
  for (const id of ids) {
    if (names.has(id)) continue
    const category = await store()
      .categories.get(id, { signal })
      .catch(() => undefined)
    if (category) names.set(id, category.name)
  }
  return names
}
