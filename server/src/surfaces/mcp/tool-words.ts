import type { Operation } from '../../platform/api/operation.ts'
import { headerArguments } from './tool-schemas.ts'

/** What tools call the things that have other names in HTTP. */
const argumentNames: Readonly<Record<string, string>> = {
  ...headerArguments,
  'Retry-After': 'retryAfterSeconds',
  ETag: 'etag',
}

/** Where results are instead of in headers. */
const phrases: readonly (readonly [from: string, to: string])[] = [
  ['the `cursor` in the `Link` header of the previous page', '`nextCursor` of the previous result'],
  ['the `cursor` from the `Link` header of the previous page', '`nextCursor` of the previous result as `cursor`'],
  ['Follow the `Link` to', 'Read on to'],
  ['`rel="next"`', '`nextAfter`'],
  ['`rel="monitor"`', '`monitorAfter`'],
  [' Repeat the parameter for several.', ''],
]

/** Returns a function that rewrites text about HTTP for a reader who has only tools: headers become arguments, requests tool names. */
export function createRewriter(nameOf: ReadonlyMap<string, string>): (text: string) => string {
  const names = Object.keys(argumentNames).join('|')
  const headers = new RegExp(`\`?\\b(${names})\\b\`?`, 'g')
  return (text) =>
    phrases
      .reduce((rewritten, [from, to]) => rewritten.replaceAll(from, to), text)
      .replace(/`?\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]+)`?/g, (request, method: string, path: string) => {
        const name = nameOf.get(requestKey({ method: method.toLowerCase(), path }))
        return name === undefined ? request : `\`${name}\``
      })
      .replace(headers, (_, header: string) => `\`${argumentNames[header]}\``)
}

/** Identifies an operation by its request. */
export const requestKey = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

/** A tool's name: the operation's id in snake case. */
export const toolName = ({ id }: Operation): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
