import type { Scope } from '../api/scopes.ts'
import { matchingTypes } from '../events/filter.ts'
import { canSee, type EventRow } from '../events/types.ts'
import type { WebhookRow } from './store.ts'

/** A function that says whether a webhook gets an event: it subscribes to the type, and its key may see the event. */
export function createMatcher(
  { events, key_id: keyId }: WebhookRow,
  scopes: ReadonlySet<Scope>,
): (event: EventRow) => boolean {
  const types = matchingTypes(events.split(' '))
  return (event) => types.has(event.type) && canSee({ keyId, scopes }, event)
}

export const parseScopes = ({ scopes }: { scopes: string }): ReadonlySet<Scope> => new Set(scopes.split(' ') as Scope[])
