import { createHash } from 'node:crypto'

const secretName = /key|token|secret|signature|password|passwd|pwd|credential|auth|session|jwt|(^|[^a-z])(sig|code)$/i
/** Parameters of a query, of a fragment, and of a path. */
const parameter = /([?&#;]([^=&#;\s<>"?]+)=)([^&#;\s<>"]+)/g
const userInfo = /(\/\/)([^/@\s<>"]+)@/g
const lengthShown = 8

/** The same value stays the same. */
const mask = (value: string): string => `…${createHash('sha256').update(value).digest('hex').slice(0, lengthShown)}`

/** Replaces secrets in addresses: the values of parameters with the names of secrets, and what the patterns of credentials match. */
export function createMask(patterns: readonly string[] = []) {
  const credentials = patterns.map((pattern) => new RegExp(pattern, 'gi'))
  return (address: string): { readonly text: string; readonly hasCredential: boolean } => {
    const found = credentials.reduce((masked, pattern) => masked.replace(pattern, mask), address)
    const text = maskParameters(found).replace(userInfo, (_, start, value) => `${start}${mask(value)}@`)
    return { text, hasCredential: credentials.some((pattern) => address.search(pattern) >= 0) }
  }
}

const maskParameters = (text: string): string =>
  text.replace(parameter, (all, start, name, value) => {
    const hasAddress = /%3f/i.test(value)
    return secretName.test(decode(name)) || hasAddress ? `${start}${mask(value)}` : all
  })

function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
