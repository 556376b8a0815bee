// What every hand-written handler does first: the key, both windows, and the rate-limit headers.
import { hash, randomUUID } from 'node:crypto'

const { API_KEY = '' } = process.env

export interface Key {
  readonly id: number
  readonly perMinute: number
  readonly perDay: number
  minute: number
  day: number
  usedInMinute: number
  usedInDay: number
}
const most = 1_000_000_000
const counts = { minute: 0, day: 0, usedInMinute: 0, usedInDay: 0 }
export const keys = new Map<string, Key>([[API_KEY, { id: 1, perMinute: most, perDay: most, ...counts }]])

const exposed =
  'Allow, Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Stability'
export const baseUrl = 'http://localhost:8080'
const guide = `<${baseUrl}/docs/guides/deprecation>`
export const tagOf = (text: string) => `"${hash('sha1', text, 'base64url')}"`

/** Counts the call in both windows; returns the headers, or why it is rejected. */
export function enter(request: Request): { key: Key; headers: Record<string, string> } | Response {
  const key = keys.get(request.headers.get('x-api-key') ?? '')
  if (!key) return new Response('{"code":"invalid_api_key"}', { status: 401 })
  const now = Date.now()
  const minute = now - (now % 60_000)
  const day = now - (now % 86_400_000)
  if (key.minute !== minute) {
    key.minute = minute
    key.usedInMinute = 0
  }
  if (key.day !== day) {
    key.day = day
    key.usedInDay = 0
  }
  if (key.usedInMinute >= key.perMinute || key.usedInDay >= key.perDay) {
    return new Response('{"code":"rate_limited"}', { status: 429 })
  }
  return { key, headers: headersFor(request, key, now, ++key.usedInMinute, ++key.usedInDay) }
}

export function headersFor(request: Request, key: Key, now: number, usedInMinute: number, usedInDay: number) {
  const leftInMinute = key.perMinute - usedInMinute
  const leftInDay = key.perDay - usedInDay
  const minuteEnds = now - (now % 60_000) + 60_000
  const dayEnds = now - (now % 86_400_000) + 86_400_000
  const isMinute = leftInMinute < leftInDay
  const headers: Record<string, string> = {
    'Cache-Control': 'private, no-cache',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposed,
    'Content-Type': 'application/json',
    'X-Request-Id': request.headers.get('x-request-id') ?? randomUUID(),
    'X-RateLimit-Limit': String(isMinute ? key.perMinute : key.perDay),
    'X-RateLimit-Remaining': String(isMinute ? leftInMinute : leftInDay),
    'X-RateLimit-Reset': String((isMinute ? minuteEnds : dayEnds) / 1000),
    'RateLimit-Policy': `"minute";q=${key.perMinute};w=60,"day";q=${key.perDay};w=86400`,
    RateLimit: `"minute";r=${leftInMinute};t=${Math.ceil((minuteEnds - now) / 1000)},"day";r=${leftInDay};t=${Math.ceil((dayEnds - now) / 1000)}`,
  }
  return headers
}

export function deprecated(headers: Record<string, string>, petId: string): void {
  headers.Deprecation = '@1793491200'
  headers.Sunset = 'Wed, 30 Jun 2027 23:59:59 GMT'
  headers.Link = `${guide}; rel="deprecation"; type="text/html", ${guide}; rel="sunset"; type="text/html", <${baseUrl}/pets/${petId}/profile>; rel="successor-version"`
}

export const notFound = (headers: Record<string, string>) =>
  new Response('{"code":"pet_not_found"}', { status: 404, headers })

export function tagged(request: Request, text: string, tag: string, headers: Record<string, string>): Response {
  headers.ETag = tag
  if (request.headers.get('if-none-match') === tag) return new Response(null, { status: 304, headers })
  return new Response(text, { headers })
}
