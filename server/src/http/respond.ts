import { deprecationHeaders, deprecationLinks } from './deprecation.ts'
import type { ApiError } from './errors.ts'
import { etagOf, isNotModified } from './etag.ts'
import type { Entry } from './gate.ts'
import { prefersProblem } from './negotiate.ts'
import type { AnyReply, Operation } from './operation.ts'

/** What is known of a request when it is time to answer it. */
export interface Answer {
  readonly request: Request
  readonly operation: Operation | undefined
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

type Headers = Record<string, string>

function commonHeaders(answer: Answer): Headers {
  const { operation, entry } = answer
  const headers: Headers = {
    'X-Request-Id': answer.requestId,
    'Cache-Control': operation?.secretField ? 'no-store' : 'private, no-cache',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedHeaders,
    ...entry?.headers,
  }
  if (operation?.stability) headers['X-Stability'] = operation.stability
  if (operation?.deprecation) {
    Object.assign(headers, deprecationHeaders(operation.deprecation))
    headers.Link = deprecationLinks(operation.deprecation, answer.baseUrl, answer.params).join(', ')
  }
  return headers
}

export function respond(answer: Answer, { reply, replayed }: { reply: AnyReply; replayed: boolean }): Response {
  const { request, operation } = answer
  const headers = commonHeaders(answer)
  if (replayed) headers['Idempotent-Replayed'] = 'true'
  if (reply.location !== undefined) headers.Location = reply.location
  if (reply.nextCursor !== undefined) headers.Link = `<${nextPage(answer, reply.nextCursor)}>; rel="next"`
  if (reply.body === undefined) return new Response(null, { status: reply.status, headers })

  const body = JSON.stringify(reply.body)
  if (operation?.etag) {
    const etag = etagOf(body)
    headers.ETag = etag
    if (operation.method === 'get' && isNotModified(request.headers.get('if-none-match'), etag)) {
      return new Response(null, { status: 304, headers })
    }
  }
  headers['Content-Type'] = 'application/json'
  return new Response(body, { status: reply.status, headers })
}

function nextPage({ request, baseUrl }: Answer, cursor: string): string {
  const url = new URL(request.url)
  url.searchParams.set('cursor', cursor)
  return `${baseUrl}${url.pathname}${url.search}`
}

export function respondError(answer: Answer, error: ApiError): Response {
  const { requestId, request, baseUrl } = answer
  const { code, message, status } = error
  const docs = `${baseUrl}/errors#${code}`
  const faults = error.more.faults && { errors: error.more.faults }
  const headers = { ...commonHeaders(answer), ...error.more.headers }
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
    headers['Content-Type'] = 'application/problem+json'
    return new Response(JSON.stringify(problem), { status, headers })
  }
  headers['Content-Type'] = 'application/json'
  return new Response(JSON.stringify({ code, message, status, requestId, docs, ...faults }), { status, headers })
}
