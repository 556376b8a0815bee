import { deprecationHeaders, deprecationLink } from '../api/deprecation.ts'
import type { ApiError } from '../api/errors.ts'
import { etagOf, isNotModified } from '../api/etag.ts'
import type { Outcome } from '../api/idempotency.ts'
import { type AnyReply, type Operation, withoutSecret } from '../api/operation.ts'
import { pathTemplate } from '../api/path-template.ts'
import { exposedHeaders } from './cors.ts'
import { prefersProblem } from './negotiate.ts'
import { queryText } from './query.ts'

/** A request under way: what its answer needs to know of it. */
export interface Exchange {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly requestId: string
  /** The rate-limit headers, once they are known. */
  limits: Readonly<Record<string, string>>
}

/** Makes the answers of an operation, or of a path that is none. What they have in common is made once. */
export function createAnswers(operation: Operation | undefined, baseUrl: string) {
  const common = commonHeaders(operation)
  const pathOf = pathTemplate(operation?.path ?? '')
  const linkOf = operation?.deprecation && deprecationLink(operation.deprecation, baseUrl)
  /** The path that BASE_URL puts before every other. */
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')

  function headersOf({ requestId, limits, params }: Exchange): Headers {
    const headers = new Headers(common)
    headers.set('X-Request-Id', requestId)
    for (const name in limits) headers.set(name, limits[name] as string)
    if (linkOf) headers.set('Link', linkOf(params))
    return headers
  }

  function nextPage({ request, params }: Exchange, cursor: string): string {
    const query = new URLSearchParams(queryText(request.url))
    query.set('cursor', cursor)
    return `${baseUrl}${pathOf(params)}?${query}`
  }

  function reply(exchange: Exchange, { status, body, location, nextCursor }: AnyReply, replayed: boolean): Response {
    const headers = headersOf(exchange)
    if (replayed) headers.set('Idempotent-Replayed', 'true')
    if (location !== undefined) headers.set('Location', basePath + location)
    if (nextCursor !== undefined) headers.set('Link', `<${nextPage(exchange, nextCursor)}>; rel="next"`)
    if (body === undefined) return withoutBody(status, headers)

    const type = operation?.answers[status]?.type
    if (type !== undefined) {
      headers.set('Content-Type', type)
      return new Response(body as ReadableStream<Uint8Array>, { status, headers })
    }
    const text = JSON.stringify(body)
    if (operation?.etag) {
      const resource = withoutSecret(body, operation.secretField)
      const etag = etagOf(resource, operation.etag, resource === body ? text : undefined)
      headers.set('ETag', etag)
      if (operation.method === 'get' && isNotModified(exchange.request.headers.get('if-none-match'), etag)) {
        return withoutBody(304, headers)
      }
    }
    return new Response(text, { status, headers })
  }

  function refusal(exchange: Exchange, { code, message, status, more }: ApiError): Response {
    const { request, requestId } = exchange
    const docs = `${baseUrl}/errors#${code}`
    const errors = more.faults && { errors: more.faults }
    const headers = headersOf(exchange)
    for (const name in more.headers) headers.set(name, more.headers[name] as string)
    if (prefersProblem(request.headers.get('accept'))) {
      headers.set('Content-Type', 'application/problem+json')
      const titled = { type: docs, title: code.replaceAll('_', ' ') }
      const problem = { ...titled, status, detail: message, code, message, requestId, docs, ...errors }
      return new Response(JSON.stringify(problem), { status, headers })
    }
    return new Response(JSON.stringify({ code, message, status, requestId, docs, ...errors }), { status, headers })
  }

  return {
    outcome: (exchange: Exchange, outcome: Outcome): Response =>
      'error' in outcome ? refusal(exchange, outcome.error) : reply(exchange, outcome.reply, outcome.replayed),
    refusal,
  }
}

function commonHeaders(operation: Operation | undefined): Headers {
  return new Headers({
    'Cache-Control': operation?.secretField ? 'no-store' : 'private, no-cache',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedHeaders,
    'Content-Type': 'application/json',
    ...(operation?.stability && { 'X-Stability': operation.stability }),
    ...(operation?.deprecation && deprecationHeaders(operation.deprecation)),
  })
}

function withoutBody(status: number, headers: Headers): Response {
  headers.delete('Content-Type')
  return new Response(null, { status, headers })
}
