import type { Scope } from '../api/scopes.ts'
import type { EventRow, WebhookRow } from '../db/tables.ts'
import { typesOf } from '../events/filter.ts'
import { maySee } from '../events/types.ts'

/** Whether a webhook gets an event: it asks for it, and its key may see it. */
export function wantsOf(
  { events, key_id: keyId }: WebhookRow,
  scopes: ReadonlySet<Scope>,
): (event: EventRow) => boolean {
  const types = typesOf(events.split(' '))
  return (event) => types.has(event.type) && maySee({ keyId, scopes }, event)
}

export const scopesOf = ({ scopes }: { scopes: string }): ReadonlySet<Scope> => new Set(scopes.split(' ') as Scope[])
