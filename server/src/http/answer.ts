import type { Entry } from '../access/entry.ts'
import { deprecationHeaders, deprecationLink } from '../api/deprecation.ts'
import type { ApiError } from '../api/errors.ts'
import { etagOf, isNotModified } from '../api/etag.ts'
import { type AnyReply, type Operation, withoutSecret } from '../api/operation.ts'
import { queryText } from '../api/validate.ts'
import { pathTemplate } from '../lib/path-template.ts'
import { prefersProblem } from './negotiate.ts'

/** What is known of a request when it is time to answer it. */
export interface Answer {
  readonly request: Request
  readonly operation: Operation | undefined
  readonly fixed: FixedHeaders
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  readonly baseUrl: string
  entry?: Entry
}

/** Headers that scripts on other origins may read: all that this interface defines. */
export const exposedHeaders = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotent-Replayed',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'X-Stability',
].join(', ')

/** What the answers of an operation have in common, made once: a copy of it costs less than making it anew. */
export interface FixedHeaders {
  readonly headers: Headers
  /** The path that BASE_URL puts before every other. */
  readonly basePath: string
  /** The path of the operation with its parameters filled in. */
  readonly pathOf: (params: Readonly<Record<string, string>>) => string
  readonly link: ((params: Readonly<Record<string, string>>) => string) | undefined
}

export function fixedHeaders(operation: Operation | undefined, baseUrl: string): FixedHeaders {
  const deprecation = operation?.deprecation
  const headers = new Headers({
    'Cache-Control': operation?.secretField ? 'no-store' : 'private, no-cache',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedHeaders,
    'Content-Type': 'application/json',
    ...(operation?.stability && { 'X-Stability': operation.stability }),
    ...(deprecation && deprecationHeaders(deprecation)),
  })
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
  const pathOf = pathTemplate(operation?.path ?? '')
  return { headers, basePath, pathOf, link: deprecation && deprecationLink(deprecation, baseUrl) }
}

function headersOf({ fixed, entry, requestId, params }: Answer): Headers {
  const headers = new Headers(fixed.headers)
  headers.set('X-Request-Id', requestId)
  for (const name in entry?.headers) headers.set(name, entry.headers[name] as string)
  if (fixed.link) headers.set('Link', fixed.link(params))
  return headers
}

export function respond(answer: Answer, { reply, replayed }: { reply: AnyReply; replayed: boolean }): Response {
  const { request, operation, fixed } = answer
  const headers = headersOf(answer)
  if (replayed) headers.set('Idempotent-Replayed', 'true')
  if (reply.location !== undefined) headers.set('Location', fixed.basePath + reply.location)
  if (reply.nextCursor !== undefined) headers.set('Link', `<${nextPage(answer, reply.nextCursor)}>; rel="next"`)
  if (reply.body === undefined) return withoutBody(reply.status, headers)

  const body = JSON.stringify(reply.body)
  if (operation?.etag) {
    const resource = withoutSecret(reply.body, operation.secretField)
    const etag = etagOf(resource, operation.etag, resource === reply.body ? body : undefined)
    headers.set('ETag', etag)
    if (operation.method === 'get' && isNotModified(request.headers.get('if-none-match'), etag)) {
      return withoutBody(304, headers)
    }
  }
  return new Response(body, { status: reply.status, headers })
}

function withoutBody(status: number, headers: Headers): Response {
  headers.delete('Content-Type')
  return new Response(null, { status, headers })
}

function nextPage({ request, params, fixed, baseUrl }: Answer, cursor: string): string {
  const query = new URLSearchParams(queryText(request.url))
  query.set('cursor', cursor)
  return `${baseUrl}${fixed.pathOf(params)}?${query}`
}

export function respondError(answer: Answer, error: ApiError): Response {
  const { requestId, request, baseUrl } = answer
  const { code, message, status } = error
  const docs = `${baseUrl}/errors#${code}`
  const faults = error.more.faults && { errors: error.more.faults }
  const headers = headersOf(answer)
  for (const name in error.more.headers) headers.set(name, error.more.headers[name] as string)
  if (prefersProblem(request.headers.get('accept'))) {
    const problem = {
      type: docs,
      title: code.replaceAll('_', ' '),
      status,
      detail: message,
      code,
      requestId,
      ...faults,
    }
    headers.set('Content-Type', 'application/problem+json')
    return new Response(JSON.stringify(problem), { status, headers })
  }
  return new Response(JSON.stringify({ code, message, status, requestId, docs, ...faults }), { status, headers })
}
