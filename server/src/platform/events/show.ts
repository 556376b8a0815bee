import type { Caller } from '../api/operation.ts'
import { showOrigin } from '../api/show-origin.ts'
import { eventIdOf } from './position.ts'
import type { EventRow } from './types.ts'

type Viewer = Pick<Caller, 'keyId' | 'scopes'>

/** An event as a client sees it in lists, streams and webhooks. */
export const showEvent = (event: EventRow, viewer: Viewer) => ({
  id: eventIdOf(event),
  type: event.type,
  time: new Date(event.at).toISOString(),
  data: JSON.parse(event.data) as Record<string, unknown>,
  ...(event.previous !== null && { previous: JSON.parse(event.previous) as Record<string, unknown> }),
  ...showOrderId(event, viewer),
  ...showOrigin(viewer, event.by_key_id),
})

/** The same as JSON text. Streams send many events, so the stored JSON is not parsed. */
export function eventJson(event: EventRow, id: string, viewer: Viewer): string {
  const { type, at, data, previous, by_key_id } = event
  const changed = previous === null ? '' : `,"previous":${previous}`
  const { orderId } = showOrderId(event, viewer)
  const { keyId } = showOrigin(viewer, by_key_id)
  const order = orderId === undefined ? '' : `,"orderId":${orderId}`
  const origin = keyId === undefined ? '' : `,"keyId":${keyId}`
  return `{"id":"${id}","type":"${type}","time":"${new Date(at).toISOString()}","data":${data}${changed}${order}${origin}}`
}

/** The order that caused it, if the viewer may see that order. */
const showOrderId = ({ order_id, key_id }: EventRow, { keyId, scopes }: Viewer): { orderId?: number } =>
  order_id !== null && (key_id === keyId || scopes.has('orders:all')) ? { orderId: order_id } : {}
