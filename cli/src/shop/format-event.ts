import type { Event } from '@petstore/sdk'
import { toJson } from '../controls.ts'

/** The fields of a resource that a line shows if nothing is known to have changed. */
const factsBySubject: Readonly<Record<string, readonly string[]>> = {
  pet: ['status', 'categoryId'],
  category: [],
  order: ['petId', 'quantity', 'complete'],
  inventory: ['quantity'],
  key: ['plan'],
  webhook: ['disabledReason', 'url'],
}

/** What caused an event, as far as the caller may see it. */
interface Cause {
  readonly orderId?: number
  readonly keyId?: number
}

type Fields = Readonly<Record<string, unknown>>

/** An event as one line: when, what, its id, and what changed. */
export const formatEvent = (event: Event): string =>
  `${event.time}  ${event.type.padEnd(20)}  ${event.id}  ${describeEvent(event)}`

function describeEvent({ type, data, previous = {}, orderId, keyId }: Event & Cause): string {
  const subject = type.split('.')[0] ?? ''
  const facts = factsBySubject[subject]
  if (!facts) return toJson(data)
  const { id, petId, name, ...fields } = { ...(data as Fields) }
  const before = previous as Fields
  const changed = Object.keys(before)
  const all: Fields = { petId, ...fields, name }
  const says =
    changed.length > 0
      ? changed.map((field) => `${field} ${toText(before[field])} → ${toText(all[field])}`)
      : facts.filter((field) => all[field] !== undefined).map((field) => `${field} ${toText(all[field])}`)
  const title = [subject === 'inventory' ? 'pet' : subject, id ?? petId, name && `"${name}"`].filter(Boolean).join(' ')
  const cause = [orderId && `order ${orderId}`, keyId && `key ${keyId}`].filter(Boolean).join(', ')
  return [title, says.join(', ')].filter(Boolean).join(': ') + (cause && ` (${cause})`)
}

const toText = (value: unknown): string => {
  if (value === undefined || value === null) return 'none'
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return toJson(value)
  return Object.entries(value)
    .map(([field, inner]) => `${field} ${toText(inner)}`)
    .join(', ')
}
