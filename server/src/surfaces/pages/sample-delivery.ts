import type { Shop } from '../../platform/compose/shop.ts'
import type { EventFamily } from '../../platform/events/types.ts'
import { unsignedHeaders } from '../../platform/webhooks/attempt.ts'
import { signatures } from '../../platform/webhooks/sign.ts'

// A delivery as a receiver gets it, signed with a secret that everyone knows: a test vector for receivers.

const secret = 'whsec_QSBzZWNyZXQgdGhhdCBldmVyeW9uZSBrbm93cyE='
const sentAt = Date.parse('2026-11-15T12:00:01Z')
const id = 'evt_8_9'

/** The whole request, and each part of its signature. */
export function sampleDelivery({ catalogue, examples }: Shop) {
  const { types, example } =
    catalogue.families.find(({ resource }) => examples.events[0] === `${resource}.*`) ??
    (catalogue.families[0] as EventFamily)
  const body = JSON.stringify({ id, type: types[0], time: '2026-11-15T12:00:00.000Z', data: example })
  const timestamp = Math.floor(sentAt / 1000)
  const signature = signatures([secret], { id, timestamp, body })
  const headers = {
    Host: 'shop.example',
    'Accept-Encoding': 'identity',
    'Content-Length': String(Buffer.byteLength(body)),
    ...unsignedHeaders(id, sentAt),
    'webhook-signature': signature,
  }
  return {
    sampleDeliverySecret: secret,
    sampleDeliverySigned: `${id}.${timestamp}.${body}`,
    sampleDeliverySignature: signature,
    sampleDeliveryRequest: `POST /hooks HTTP/1.1\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}\n\n${body}`,
  }
}
