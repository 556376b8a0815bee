import type { Received } from '@petstore/judge/history'
import type { Exchange } from '../surfaces/http/request.ts'
import type { RecordedRequest } from './recorded.ts'
import type { Redactor } from './redact.ts'
import { hasBody } from './unread-body.ts'

const bodyCharactersMax = 16 * 1024
export const eventIdsMax = 100

/** A request as noted. Its text is made later, outside of the request. */
export interface Note {
  readonly id: number
  readonly exchange: Exchange
  readonly receivedAt: number
  readonly connection: number | undefined
  received: Received
  /** Null while it is open. */
  durationMs: number | null
  /** By the sandbox's clock. */
  endedAt?: number
  /** The response whose head was sent. The listener leaves its headers as they are. */
  sent?: Pick<Response, 'status' | 'headers'>
  /** The events that a stream sent. */
  eventIds?: string[]
  described?: RecordedRequest
}

export interface Surroundings {
  /** The path of the sandbox on its host, which the target leaves out. A proxy may have removed a prefix of its address. */
  readonly root: string
  readonly redact: Redactor
  /** The fault that a request was given. */
  readonly faultOf: (exchange: Exchange) => string | undefined
}

/** A noted request as it is recorded. */
export function describeRequest(noted: Note, { root, redact, faultOf }: Surroundings): RecordedRequest {
  const { exchange, connection, received, durationMs, endedAt, sent, eventIds = [] } = noted
  const { request, url, headers, operation, bodyText, responseText, admission } = exchange
  const fault = faultOf(exchange)
  const body = bodyText ? cutBody(redact.body(bodyText, headers['content-type'])) : undefined
  const responseBody = sent && request.method !== 'HEAD' ? responseText : undefined
  const lastEventId = eventIds.at(-1)
  const keyId = admission?.key?.keyId
  return {
    id: noted.id,
    at: new Date(exchange.now).toISOString(),
    receivedAt: new Date(noted.receivedAt).toISOString(),
    durationMs: durationMs === null ? null : Math.round(durationMs * 100) / 100,
    ...(endedAt !== undefined && { endedAt: new Date(endedAt).toISOString() }),
    method: request.method,
    target: redact.target(targetOf(url, root)),
    ...(operation && { operationId: operation.id }),
    headers: redact.headers(headers),
    ...body,
    ...(bodyText === undefined && hasBody(exchange) && { bodyCut: true }),
    ...(keyId !== undefined && { keyId }),
    ...(connection !== undefined && { connection }),
    received,
    status: sent?.status ?? null,
    responseHeaders: sent ? redact.headers(sent.headers.toJSON()) : {},
    ...(responseBody && { responseBody: cutBody(redact.body(responseBody, 'application/json')).body }),
    ...(fault !== undefined && { fault }),
    ...(lastEventId !== undefined && { streamLastEventId: lastEventId }),
    ...(eventIds.length > 0 && eventIds.length <= eventIdsMax && { streamEventIds: eventIds }),
  }
}

/** Shortens a body after its secrets are removed: part of one no longer looks like one. */
function cutBody(body: string): { body: string; bodyCut?: true } {
  return body.length > bodyCharactersMax ? { body: body.slice(0, bodyCharactersMax), bodyCut: true } : { body }
}

function targetOf(url: string, root: string): string {
  const path = url.startsWith('/') ? url : url.slice(url.indexOf('/', url.indexOf('//') + 2))
  return path.startsWith(root) ? path.slice(root.length) || '/' : path
}
