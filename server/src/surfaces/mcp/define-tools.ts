import type { Operation, Route } from '../../platform/api/operation.ts'
import { traitsOf } from '../../platform/api/traits.ts'
import type { JsonSchema } from '../description/json-schema.ts'
import { readDescribed } from './described.ts'
import { headerArguments, inputSchemaOf } from './tool-schemas.ts'

/** A tool as clients see it. */
interface ToolDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: JsonSchema & { readonly type: 'object' }
  readonly annotations: ReturnType<typeof annotationsOf>
}

export interface Tool {
  readonly route: Route
  readonly definition: ToolDefinition
  /** The route that reads what this one changes. */
  readonly reader: Route | undefined
  /** What a success without a body says. */
  readonly done: string
}

/** Defines the tools, each from its operation's definition and description. */
export function defineTools(routes: readonly Route[], document: JsonSchema) {
  const chosen = chooseTools(routes)
  const names = new Map(chosen.map(({ operation }) => [requestKey(operation), toolName(operation)]))
  // Text that names a covered operation means the tool that covers it.
  for (const { operation } of routes) {
    const covering = chosen.find((route) => route.operation.id === operation.coveredBy)
    if (covering) names.set(requestKey(operation), toolName(covering.operation))
  }
  const rewrite = createRewriter(names)
  const findDescribed = readDescribed(document)

  function define(route: Route): Tool {
    const { operation } = route
    const described = findDescribed(operation.method, operation.path)
    const reader = readerOf(chosen, operation)
    return {
      route,
      reader,
      done: successOf(operation),
      definition: {
        name: toolName(operation),
        title: operation.summary,
        description: rewrite(describe(operation)),
        inputSchema: rewriteAll(inputSchemaOf(described, reader && toolName(reader.operation)), rewrite),
        annotations: annotationsOf(operation),
      },
    }
  }

  return { tools: chosen.map(define), rewrite }
}

const successOf = ({ responses }: Operation): string => Object.values(responses)[0]?.description ?? ''

/** Changes or deletes something that exists, rather than adding to it. */
const isDestructive = (operation: Operation): boolean =>
  operation.method !== 'post' || (traitsOf(operation).takesIfMatch && operation.ifMatch === undefined)

/** The hints that matter, without defaults: a tool that only reads is neither destructive nor unsafe to repeat. */
function annotationsOf(operation: Operation) {
  const { method, tag } = operation
  if (method === 'get') return { readOnlyHint: true, openWorldHint: false }
  return {
    destructiveHint: isDestructive(operation),
    ...(method !== 'post' && { idempotentHint: true }),
    // Webhooks make the service call other servers, which is the default. All other changes stay in the shop.
    ...(tag !== 'Webhooks' && { openWorldHint: false }),
  }
}

/** What it does, in the words of the operation. The title is separate. */
const describe = ({ description, stability }: Operation): string =>
  stability ? `${description} Stability: ${stability.level}.` : description

/** The route that reads the resource at the path of a change, a view of it, or the one that it is below. */
function readerOf(chosen: readonly Route[], { method, path }: Operation): Route | undefined {
  if (method === 'get') return undefined
  for (let at: string = path; at === path || at.includes('{'); at = at.slice(0, at.lastIndexOf('/'))) {
    const readers = chosen.filter(({ operation }) => operation.method === 'get' && operation.etag)
    const isView = ({ operation }: Route) =>
      operation.path.startsWith(`${at}/`) && !operation.path.includes('{', at.length)
    const reader = readers.find(({ operation }) => operation.path === at) ?? readers.find(isView)
    if (reader) return reader
  }
  return undefined
}

/** Rewrites every description in a schema. */
function rewriteAll<T>(node: T, rewrite: (text: string) => string): T {
  return JSON.parse(JSON.stringify(node), (name, value) =>
    name === 'description' && typeof value === 'string' ? rewrite(value) : value,
  )
}

/** The operations that are tools: all but deprecated ones, streams, and those that another one covers. */
export const chooseTools = (routes: readonly Route[]): Route[] =>
  routes.filter(
    ({ operation }) =>
      !operation.deprecation && !traitsOf(operation).takesLastEventId && operation.coveredBy === undefined,
  )

/** What tools call the things that have other names in HTTP. */
const argumentNames: Readonly<Record<string, string>> = {
  ...headerArguments,
  'Retry-After': 'retryAfterSeconds',
  ETag: 'etag',
}

/** Where results are found instead of in headers. */
const phrases: readonly (readonly [from: string, to: string])[] = [
  [
    'Where the page starts: the `cursor` in the `Link` header of the previous page',
    '`nextCursor` of the previous result',
  ],
  ['the `cursor` from the `Link` header of the previous page', '`nextCursor` of the previous result as `cursor`'],
  ['Follow the `Link` to', 'Read on to'],
  ['`rel="next"`', '`nextCursor`'],
  ['`rel="monitor"`', '`monitorAfter`'],
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
const requestKey = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`

/** A tool's name: the operation's id in snake case, unless it has another. */
export const toolName = ({ id, tool }: Pick<Operation, 'id' | 'tool'>): string =>
  tool ?? id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
