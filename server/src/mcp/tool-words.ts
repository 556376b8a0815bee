import type { Operation } from '../api/operation.ts'
import { headerArguments } from './tool-schemas.ts'

/** What tools call the things that have other names in HTTP. */
const argumentNames: Readonly<Record<string, string>> = {
  ...headerArguments,
  'Retry-After': 'retryAfterSeconds',
  ETag: 'etag',
}

/** Returns a function that rewrites text about HTTP for a reader who has only tools: headers become arguments, requests tool names. */
export function createRewriter(nameOf: ReadonlyMap<string, string>): (text: string) => string {
  const names = Object.keys(argumentNames).join('|')
  const headers = new RegExp(`\`?\\b(${names})\\b\`?`, 'g')
  return (text) =>
    text
      .replace(/`?\b(GET|POST|PUT|PATCH|DELETE) (\/[\w/{}-]+)`?/g, (request, method: string, path: string) => {
        const name = nameOf.get(requestKey({ method: method.toLowerCase(), path }))
        return name === undefined ? request : `\`${name}\``
      })
      .replace(headers, (_, header: string) => `\`${argumentNames[header]}\``)
      .replaceAll('`Link` header of the previous page', 'field `nextCursor` of the previous result')
}

/** Identifies an operation by its request. */
export const requestKey = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

/** A tool's name: the operation's id in snake case. */
export const toolName = ({ id }: Operation): string => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
