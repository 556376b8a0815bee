import type { Scope } from '../api/scopes.ts'
import type { EventRow, WebhookRow } from '../db/tables.ts'
import { type EventType, visibility } from '../events/types.ts'
import { means } from './pattern.ts'

/** Whether a key with these scopes may see an event, by the rules of GET /events. */
export function maySee(keyId: number, scopes: ReadonlySet<Scope>, event: Pick<EventRow, 'type' | 'key_id'>): boolean {
  const seen = visibility({ scopes }, event.type as EventType)
  return seen === 'all' || (seen === 'own' && event.key_id === keyId)
}

/** Whether a webhook gets an event: it asks for it, and its key may see it. */
export const wants = (webhook: WebhookRow, scopes: ReadonlySet<Scope>, event: EventRow): boolean =>
  means(webhook.events.split(' '), event.type) && maySee(webhook.key_id, scopes, event)

export const scopesOf = ({ scopes }: { scopes: string }): ReadonlySet<Scope> => new Set(scopes.split(' ') as Scope[])
