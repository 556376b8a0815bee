import { isIP } from 'node:net'
import { isPublic } from './address.ts'

/** Whether webhooks may use private networks and plain HTTP. */
export interface UrlPolicy {
  readonly allowPrivate: boolean
}

export const urlLengthMax = 2_048
/** Lower ports belong to other services, which might misread a request. */
const portMin = 1_024
const defaultPort: Readonly<Record<string, string>> = { 'https:': '443', 'http:': '80' }
/** Names that resolve only inside one network. */
const localName = /^[^.]+$|(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/

/** The host of a URL; an IPv6 address without brackets. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/**
 * Why a webhook cannot have this URL; undefined if it can. The URL parser normalizes every notation of an IPv4 address (decimal,
 * octal, hexadecimal, short, full-width). What a host name resolves to is checked when the URL is used.
 */
export function findUrlFault(text: string, { allowPrivate }: UrlPolicy): string | undefined {
  if (text.length > urlLengthMax) return `must be at most ${urlLengthMax} characters`
  const url = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (!url) return allowPrivate ? 'must be an https or http URL' : 'must be an https URL'
  if (!text.isWellFormed()) return 'must not contain a lone surrogate'
  if (/[\s\\\p{Cc}]/u.test(text)) return 'must not contain white space, control characters or backslashes'
  if (url.protocol !== 'https:' && !allowPrivate) return 'must be an https URL'
  if (url.username !== '' || url.password !== '' || /^\w+:\/\/[^/?#]*@/.test(text))
    return 'must not contain a user name'
  // The parser does not report an empty one.
  if (text.includes('#')) return 'must not have a fragment'
  const { port } = url
  if (port !== '' && Number(port) < portMin && port !== defaultPort[url.protocol]) {
    return `must use the default port, or one from ${portMin} on`
  }
  if (allowPrivate) return undefined
  const host = hostOf(url)
  if (host.endsWith('.')) return 'must have a host that does not end with a dot'
  return isIP(host) ? addressFault(host) : nameFault(host)
}

const addressFault = (host: string) => (isPublic(host) ? undefined : 'must be on the public internet')

const nameFault = (host: string) => (localName.test(host) ? 'must have a public host' : undefined)
