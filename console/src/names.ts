import { may, store } from './session.ts'

const idsMax = 100

/** What pets are called, by id. Those that are gone, or that the key may not see, have no name. */
export async function namesOfPets(ids: readonly number[], signal: AbortSignal): Promise<ReadonlyMap<number, string>> {
  const wanted = [...new Set(ids)].slice(0, idsMax)
  if (wanted.length === 0 || !may('pets:read')) return new Map()
  const pets = await store().pets.list({ ids: wanted, limit: idsMax }, { signal }).toArray()
  return new Map(pets.map(({ id, name }) => [id, name]))
}

/** What categories are called, by id: those that are asked for, from the first few hundred or one by one. */
export async function namesOfCategories(
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
