import { timingSafeEqual } from 'node:crypto'
import { readApiKey } from '../access/read-api-key.ts'
import { unauthorized } from '../access/refusals.ts'
import { HostError } from './errors.ts'

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]'])

const nameOf = (url: string): string => URL.parse(url)?.hostname ?? ''

/** Whether only programs of this machine can reach this address. */
export const isLoopback = (host: string): boolean => loopbackNames.has(host) || host === '::1' || /^127\./.test(host)

/** Throws unless the request may manage a sandbox. */
export type AccessCheck = (request: Request, sandboxKey?: string) => void

/**
 * With a key, the host wants it, or that of the sandbox in question. Without one it listens only on this machine, and takes only requests
 * of programs and its own pages: no website may reach it through a visitor's browser, not even by pointing its own name at this machine.
 */
export function createAccessCheck(baseUrl: string, hostKey: string | undefined): AccessCheck {
  const own = new URL(baseUrl)
  const isKnown = (name: string) => name === own.hostname || loopbackNames.has(name)
  return ({ headers, url }, sandboxKey) => {
    if (hostKey === undefined) {
      const origin = headers.get('origin')
      if (isKnown(nameOf(url)) && (origin === null || isKnown(nameOf(origin)))) return
      throw new HostError(403, 'origin_not_allowed', 'Pages of other websites may not use this host.')
    }
    const given = readApiKey(headers.get('x-api-key') ?? undefined, headers.get('authorization') ?? undefined)
    if (given === undefined) throw unauthorized('missing_api_key')
    const accepted = sandboxKey === undefined ? [hostKey] : [hostKey, sandboxKey]
    if (typeof given !== 'string' || !accepted.some((key) => isEqual(given, key))) throw unauthorized('invalid_api_key')
  }
}

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
