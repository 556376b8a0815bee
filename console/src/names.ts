import type { Page } from '@petstore/sdk'
import { findDeletedNames } from './deleted-pets.ts'
import { hasScope, store } from './session.ts'

const idsMax = 100

/** What a list shows of a pet. */
export interface PetLabel {
  readonly petName?: string | undefined
  /** Absent if the pet is deleted. */
  readonly petCategory?: string
  readonly isPetDeleted?: boolean
}

/** Labels of pets by id. Pets that the key cannot see have none, nor have those that were deleted long ago. */
export async function loadPetLabels(
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, PetLabel>> {
  const uniqueIds = [...new Set(ids)].slice(0, idsMax)
  if (uniqueIds.length === 0 || !hasScope('pets:read')) return new Map()
  const pets = await store().pets.profiles({ ids: uniqueIds, limit: idsMax }, { signal }).toArray()
  const labels = new Map<number, PetLabel>(
    pets.map(({ id, name, category }) => [id, { petName: name, petCategory: category.name }]),
  )
  const missing = uniqueIds.filter((id) => !labels.has(id))
  const deleted = await findDeletedNames(missing, signal)
  for (const id of missing) labels.set(id, { petName: deleted.get(id), isPetDeleted: true })
  return labels
}

export type WithPetName<T> = T & PetLabel

/** Adds the label of its pet to each item, if it has one. */
export async function addPetNames<T extends { readonly petId: number }>(
  { items, ...rest }: Page<T>,
  signal: AbortSignal,
): Promise<Page<WithPetName<T>>> {
  const ids = items.map(({ petId }) => petId)
  const labels = await loadPetLabels(ids, signal)
  return { ...rest, items: items.map((item) => ({ ...item, ...labels.get(item.petId) })) }
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
