// Standard Webhooks 1.0: the signature is an HMAC-SHA256 of "id.timestamp.body".
import type { Event } from './names.ts'

const toleranceMs = 5 * 60_000

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number
}

/**
 * Checks that the service sent a message within the last five minutes, and returns its event. Pass the body unchanged, byte
 * for byte, and during a rotation all secrets in use. Throws WebhookError if the message is not genuine.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { now = Date.now }: VerifyOptions = {},
): Promise<Event> {
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = readHeader(headers, 'webhook-signature')
  if (!/^\d{1,15}$/.test(timestamp))
    throw new WebhookError('The header webhook-timestamp is not a time in Unix seconds. Reject the message.')
  if (Math.abs(now() - Number(timestamp) * 1000) > toleranceMs) {
    throw new WebhookError(
      'The message is more than five minutes old, or from the future. Reject it; if this happens often, check the clock of this machine.',
    )
  }
  const candidates = signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => decodeBase64(signature.slice(3)))
  const text = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), text)
  for (const each of [secret].flat()) {
    const key = await crypto.subtle.importKey('raw', secretBytes(each), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    // Built in, and compares in constant time.
    for (const signature of candidates) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return parse(text)
    }
  }
  throw new WebhookError(
    'The message was not signed with this secret. Reject it; if this happens often, check that the secret is that of this webhook.',
  )
}

/** The message cannot be trusted. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const values =
    headers instanceof Headers
      ? [headers.get(name)]
      : [Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]].flat()
  // Some servers give every header as a list. The service sends each once.
  const [value] = values
  if (values.length !== 1 || typeof value !== 'string' || value === '')
    throw new WebhookError(
      `The header ${name} is missing or was sent twice, so the message is not from the service. Reject it.`,
    )
  return value
}

function decodeBase64(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0)
    throw new TypeError('The secret must have the form whsec_… that the service returned.')
  return bytes
}

function concat(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length)
  all.set(head)
  all.set(tail, head.length)
  return all
}

function parse(text: Uint8Array): Event {
  try {
    return JSON.parse(new TextDecoder().decode(text)) as Event
  } catch {
    throw new WebhookError('The body is not valid JSON.')
  }
}
