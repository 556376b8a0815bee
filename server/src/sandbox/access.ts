import { isIPv4 } from 'node:net'
import { unauthorized } from '../platform/access/admission.ts'
import { readApiKey } from '../platform/access/gate.ts'
import { apiErrors } from '../platform/api/errors.ts'
import { HostError } from './errors.ts'
import { hasSession, isEqual } from './session.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

const nameOf = (url: string): string => URL.parse(url)?.hostname ?? ''

/** Whether only programs on this machine can reach this address. */
export const isLoopback = (host: string): boolean =>
  loopbackNames.has(host) || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

/** Throws unless the request may manage a sandbox. */
export type AccessCheck = (request: Request, sandboxKey?: string) => void

interface Dependencies {
  readonly baseUrl: () => string
  readonly hostKey: string | undefined
  readonly hostTime: () => number
  /** Whether pages of this origin may use the host. */
  readonly allows: (origin: string) => boolean
}

/**
 * With a key, the host requires it, or that of the sandbox in question, or the cookie of a browser that has signed in with one of them.
 * Without one it listens only on this machine, and accepts only requests from programs, its own pages and allowed origins: no website may
 * reach it through a visitor's browser, not even from another port or by pointing its own name at this machine.
 */
export function createAccessCheck({ baseUrl, hostKey, hostTime, allows }: Dependencies): AccessCheck {
  const isKnown = (name: string) => name === nameOf(baseUrl()) || loopbackNames.has(name)
  return (request, sandboxKey) => {
    const { headers, url } = request
    const origin = headers.get('origin')
    if (hostKey === undefined) {
      const isTrusted = origin === null || isOwnPage(request, baseUrl()) || allows(origin)
      if (!isKnown(nameOf(url)) || !isTrusted) throw notAllowed()
      mustBeJson(request)
      return
    }
    const keys = sandboxKey === undefined ? [hostKey] : [hostKey, sandboxKey]
    const given = readApiKey(headers.get('x-api-key') ?? undefined, headers.get('authorization') ?? undefined)
    if (given === undefined && hasSession(request, keys, hostTime())) {
      // Browsers send the cookie automatically, even for a page on another port of this host: only our own may change something.
      if (isRead(request) || isOwnPage(request, baseUrl())) return
      throw notAllowed()
    }
    if (given === undefined) throw unauthorized(apiErrors.missing_api_key)
    if (typeof given !== 'string' || !keys.some((key) => isEqual(given, key)))
      throw unauthorized(apiErrors.invalid_api_key)
  }
}

/** A browser sends other types to any address without asking first, but never sends DELETE that way. */
function mustBeJson({ method, headers }: Request): void {
  if (!['POST', 'PUT'].includes(method) || /^application\/json\b/i.test(headers.get('content-type') ?? '')) return
  const message = 'Send `Content-Type: application/json`, also without a body.'
  throw new HostError(415, apiErrors.unsupported_media_type.code, message)
}

export const isRead = ({ method }: Request): boolean => method === 'GET' || method === 'HEAD'

const addressOf = (url: string): string | undefined => URL.parse(url)?.host

/** Whether a page of this host sent the request. */
export function isOwnPage({ headers, url }: Request, baseUrl: string): boolean {
  const from = addressOf(headers.get('origin') ?? '')
  return from !== undefined && (from === addressOf(url) || from === addressOf(baseUrl))
}

export const notAllowed = (): HostError =>
  new HostError(
    403,
    'origin_not_allowed',
    'Pages of other websites may not use this host. Call it from a program, or open its own pages.',
  )
