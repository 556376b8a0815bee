import { isIP } from 'node:net'
import { isPublic } from './address.ts'

/** What an operator lets webhooks do: reach a network of one's own, and over plain HTTP. */
export interface Reach {
  readonly allowPrivate: boolean
}

export const urlLengthMax = 2_048
/** Below this lie the ports of other services, which might take a request for something else. */
const portMin = 1_024
const usualPort: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }
/** Names that mean something in one network only. */
const localName = /^[^.]+$|(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/

/** The host of a parsed address, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * Why a webhook cannot have this address, or undefined when it can. The parser has turned every way to write an IPv4 address
 * (decimal, octal, hexadecimal, short, full-width) into the usual one. What a name leads to is looked at when it is used.
 */
export function urlFault(text: string, { allowPrivate }: Reach): string | undefined {
  if (text.length > urlLengthMax) return `must be at most ${urlLengthMax} characters`
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url) return allowPrivate ? 'must be an address with https or http' : 'must be an address with https'
  if (/[\s\\\p{Cc}]/u.test(text)) return 'must not contain white space, control characters or backslashes'
  if (url.protocol !== 'https:' && !allowPrivate) return 'must be an address with https'
  if (url.username !== '' || url.password !== '' || /^\w+:\/\/[^/?#]*@/.test(text)) return 'must not name a user'
  if (url.hash !== '') return 'must not have a fragment'
  const { port } = url
  if (port !== '' && Number(port) < portMin && port !== usualPort[url.protocol]) {
    return `must use the usual port, or one from ${portMin} on`
  }
  if (allowPrivate) return undefined
  const host = hostOf(url)
  if (host.endsWith('.')) return 'must have a host without a dot at its end'
  return isIP(host) ? addressFault(host) : nameFault(host)
}

const addressFault = (host: string) => (isPublic(host) ? undefined : 'must be an address of the public internet')

const nameFault = (host: string) => (localName.test(host) ? 'must have a host of the public internet' : undefined)
