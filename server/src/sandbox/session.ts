import { createHmac, timingSafeEqual } from 'node:crypto'

const name = 'petstore-sandboxes'
const lifetimeSeconds = 12 * 3_600

interface NewSession {
  readonly key: string
  readonly path: string
  readonly isSecure: boolean
  readonly now: number
}

/** The cookie of a browser that knows a key. It does not contain the key, and scripts and other websites cannot use it. */
export function sessionCookie({ key, path, isSecure, now }: NewSession): string {
  const until = String(now + lifetimeSeconds * 1000)
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${until}.${signatureOf(key, until)}; Path=${path}; Max-Age=${lifetimeSeconds}; HttpOnly; SameSite=Strict${secure}`
}

/** The cookie that ends a session. */
export const endedCookie = (path: string): string => `${name}=; Path=${path}; Max-Age=0; HttpOnly; SameSite=Strict`

/** Whether a request has a cookie that was made with one of these keys. A browser may have one for the host and one for a sandbox. */
export function hasSession({ headers }: Request, keys: readonly string[], now: number): boolean {
  const cookies = (headers.get('cookie') ?? '').split(/; */)
  return cookies.some((cookie) => {
    const [given, until = '', signature = ''] = cookie.split(/[=.]/)
    return given === name && Number(until) > now && keys.some((key) => isEqual(signature, signatureOf(key, until)))
  })
}

const signatureOf = (key: string, until: string): string =>
  createHmac('sha256', key).update(`session until ${until}`).digest('base64url')

/** The comparison takes a time that does not depend on where the texts differ. */
export const isEqual = (one: string, other: string): boolean => {
  const [left, right] = [Buffer.from(one), Buffer.from(other)]
  return left.length === right.length && timingSafeEqual(left, right)
}
