import { type Event, NotFoundError } from '@petstore/sdk'
import { hasScope, store } from './session.ts'

/** Names do not change often, so each is loaded once, and again after an event says that it may have changed. */
const names = new Map<number, string>()

/** Follows an event that has just happened. */
export const followKey = ({ type, data }: Event): void => {
  if (type === 'key.updated') names.delete((data as { id: number }).id)
}

/** The names of keys by id, revoked ones included, for those who manage keys. */
export async function loadKeyNames(
  ids: readonly (number | undefined)[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, string>> {
  const isMissing = () => ids.filter((id) => id !== undefined && !names.has(id))
  if (!hasScope('keys:manage') || isMissing().length === 0) return names
  for (const revoked of [false, true]) {
    if (isMissing().length === 0) break
    const { items } = await store().keys.list({ revoked, sort: '-id', limit: 100 }, { signal }).firstPage()
    for (const { id, name } of items) names.set(id, name)
  }
  for (const id of isMissing()) {
    if (id === undefined) continue
    const name = await store()
      .keys.get(id, { signal })
      .then(
        (key) => key.name,
        // Only a key that is gone has no name for good.
        (error) => (error instanceof NotFoundError ? `Key ${id}` : undefined),
      )
    signal.throwIfAborted()
    if (name !== undefined) names.set(id, name)
  }
  return names
}
