import { store } from './session.ts'

// Deleted pets are not in the catalogue, but the log has an event for each deletion, with the name.

const names = new Map<number, string>()
/** Pets whose deletion is no longer in the log, or too far back. */
const unknown = new Set<number>()

const pagesMax = 10

/** The names of deleted pets by id, as far as the log has them. Each is looked up once. */
export async function findDeletedNames(
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const missing = new Set(ids.filter((id) => !names.has(id) && !unknown.has(id)))
  if (missing.size === 0) return names
  const deletions = store().events.list({ type: 'pet.deleted', sort: '-id', limit: 100 }, { signal })
  let pages = 0
  for await (const { items } of deletions.pages()) {
    for (const { data } of items) {
      const { id, name } = data as { id: number; name: string }
      names.set(id, name)
      missing.delete(id)
    }
    if (missing.size === 0 || ++pages === pagesMax) break
  }
  for (const id of missing) unknown.add(id)
  return names
}
