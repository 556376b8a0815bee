import { createHash, type Hash } from 'node:crypto'
import { timePattern } from '@petstore/judge/history/content'

/** What is recorded of a body: enough to see whether two are the same, and nothing that it says. */
interface Digest {
  /** The times stay: a client that writes its body again for each try puts in the time of the try. */
  readonly body: string
  /** The token that names the call, if the body has it. It is not a part of `body`. */
  readonly name?: string
}

const lengthShown = 24
export const formatHash = (hash: Hash): string => `sha256:${hash.digest('hex').slice(0, lengthShown)}`
const hashOf = (text: string | Uint8Array): string => formatHash(createHash('sha256').update(text))

/** `field`: the field of a JSON body that has the token. */
export function digestBody(bytes: Uint8Array, field: string | undefined): Digest {
  const text = new TextDecoder().decode(bytes)
  const name = field === undefined ? undefined : readField(text, field)
  const rest = name === undefined ? text : text.replaceAll(JSON.stringify(name), '""')
  const times = rest.match(timePattern) ?? []
  const body = [
    hashOf(times.length > 0 ? rest.replace(timePattern, '') : name === undefined ? bytes : rest),
    ...times,
  ].join(' ')
  return name === undefined ? { body } : { body, name }
}

function readField(text: string, field: string): string | undefined {
  try {
    const value = JSON.parse(text)?.[field]
    return typeof value === 'string' && value !== '' ? value : undefined
  } catch {
    return undefined
  }
}
