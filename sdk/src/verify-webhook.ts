// Standard Webhooks 1.0: the signature is an HMAC-SHA256 of "id.timestamp.body".

const toleranceMs = 5 * 60_000

export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>

export interface VerifyOptions {
  /** Milliseconds since 1970; the machine's clock unless given. */
  readonly now?: () => number
}

/**
 * Checks that the service sent a message, and just now, and gives what it says. Give the body as it came, byte for byte, and
 * all secrets that may be in use while one is rotated. It throws WebhookError for anything else.
 */
export async function verifyWebhook<T = unknown>(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { now = Date.now }: VerifyOptions = {},
): Promise<T> {
  const id = headerOf(headers, 'webhook-id')
  const timestamp = headerOf(headers, 'webhook-timestamp')
  const signatures = headerOf(headers, 'webhook-signature')
  if (!/^\d{1,15}$/.test(timestamp)) throw new WebhookError('webhook-timestamp is no time.')
  if (Math.abs(now() - Number(timestamp) * 1000) > toleranceMs) {
    throw new WebhookError('The message is more than five minutes old, or from the future.')
  }
  const given = signatures
    .split(' ')
    .filter((signature) => signature.startsWith('v1,'))
    .map((signature) => bytesOf(signature.slice(3)))
  const text = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), text)
  for (const each of [secret].flat()) {
    const key = await crypto.subtle.importKey('raw', secretBytes(each), { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    // The platform's own comparison, which takes the same time wherever two signatures differ.
    for (const signature of given) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return parsed(text)
    }
  }
  throw new WebhookError('No signature of this message was made with this secret.')
}

/** The message is not to be trusted. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError'
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1]
  if (typeof value !== 'string' || value === '') throw new WebhookError(`The header ${name} is missing.`)
  return value
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = bytesOf(secret.replace(/^whsec_/, ''))
  if (!bytes || bytes.length === 0) throw new TypeError('The secret is not of the form whsec_… that the service gave.')
  return bytes
}

function joined(head: Uint8Array, tail: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(head.length + tail.length)
  all.set(head)
  all.set(tail, head.length)
  return all
}

function parsed<T>(text: Uint8Array): T {
  try {
    return JSON.parse(new TextDecoder().decode(text)) as T
  } catch {
    throw new WebhookError('The body is no JSON.')
  }
}
