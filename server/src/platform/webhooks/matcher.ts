import type { Scope } from '../api/operation.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import type { EventRow } from '../events/types.ts'
import type { WebhookRow } from './store.ts'

/** A function that says whether a webhook gets an event: it subscribes to the type, and its key may see the event. */
export function createMatcher(
  catalogue: EventCatalogue,
  { events, key_id: keyId }: WebhookRow,
  scopes: ReadonlySet<Scope>,
): (event: EventRow) => boolean {
  const types = catalogue.matchingTypes(events.split(' '))
  return (event) => types.has(event.type) && catalogue.canSee({ keyId, scopes }, event)
}

export const parseScopes = ({ scopes }: { scopes: string }): ReadonlySet<Scope> => new Set(scopes.split(' '))
