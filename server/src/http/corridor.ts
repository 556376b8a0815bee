import { z } from 'zod'
import type { Entry, Gate } from '../access/entry.ts'
import { sunsetAt } from '../api/deprecation.ts'
import { ApiError, type Fault, insufficientScope, validationFailed } from '../api/errors.ts'
import { mustMatch } from '../api/etag.ts'
import { alone, idempotencyKeyOf, type Outcome, once, repeatable } from '../api/idempotency.ts'
import type { Input, Operation, Route } from '../api/operation.ts'
import { headersKibMax, urlKibMax } from '../api/sizes.ts'
import { check, queryOf } from '../api/validate.ts'
import type { Database, Queryable } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { type Answer, type FixedHeaders, fixedHeaders, respond, respondError } from './answer.ts'
import { checkContentType, parseJson, readBody } from './body.ts'
import { acceptsJson } from './negotiate.ts'
import { requestIdOf } from './request-id.ts'

interface Services {
  readonly db: Database
  readonly clock: Clock
  readonly gate: Gate
  /** The address a request is metered by: the peer's, or one that a trusted proxy tells. */
  readonly addressOf: (peer: string, forwardedFor: string | null) => string
  readonly baseUrl: string
  readonly requestLog: RequestLog
}

/** A request as the listener hands it over. */
export interface Call {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly peer: () => string
}

export type Walk = (call: Call) => Promise<Response>

/** What is known of an operation before anybody calls it. */
interface Known {
  readonly route: Route
  readonly sunset: number | undefined
  readonly pathOf: (params: Call['params']) => string
}

/** The way of every request, top to bottom. */
export function corridor(services: Services) {
  const underWay = new Set<string>()

  function walk(
    operation: Operation | undefined,
    fixed: FixedHeaders,
    work: (call: Call, entry: Entry, now: number) => Promise<Outcome>,
  ): Walk {
    return async (call) => {
      const { request } = call
      const started = performance.now()
      const now = services.clock.now()
      const answer: Answer = {
        request,
        operation,
        fixed,
        params: call.params,
        requestId: requestIdOf(request),
        baseUrl: services.baseUrl,
      }
      let entry: Entry | undefined
      let response: Response
      try {
        entry = await services.gate.enter({
          apiKey: request.headers.get('x-api-key'),
          authorization: request.headers.get('authorization'),
          address: () => services.addressOf(call.peer(), request.headers.get('x-forwarded-for')),
          now,
          operation,
        })
        answer.entry = entry
        if (entry.refusal) throw entry.refusal
        checkSize(request)
        const outcome = await work(call, entry, now)
        response = 'error' in outcome ? respondError(answer, outcome.error) : respond(answer, outcome)
      } catch (error) {
        response = respondError(answer, services.requestLog.asApiError(error, answer.requestId))
      }
      if (entry) services.gate.leave(entry, response.status)
      services.requestLog.write(answer, response.status, performance.now() - started)
      return response
    }
  }

  async function perform({ route, sunset, pathOf }: Known, call: Call, entry: Entry, now: number): Promise<Outcome> {
    const { operation } = route
    const { request } = call
    const caller = entry.caller
    if (!caller) throw new ApiError('missing_api_key')
    if (sunset !== undefined && now >= sunset) throw new ApiError('operation_sunset')
    if (operation.scope && !caller.scopes.has(operation.scope)) throw insufficientScope(operation.scope)
    if (!acceptsJson(request.headers.get('accept'))) throw new ApiError('not_acceptable')

    const bodyText = operation.body ? await readBody(request) : ''
    const given = validated(operation, call, bodyText)
    // Asked where the work begins: the body may have been long in coming, and the key may have changed since.
    const inputFor = async (db: Queryable): Promise<Input> => ({
      ...given,
      caller: await services.gate.stillAllowed(db, entry, operation, services.clock.now()),
      now,
      mustMatch: (state) => mustMatch(request.headers.get('if-match'), state, operation.etag ?? true),
    })
    if (route.kind === 'read') {
      return { reply: await route.handle(services.db, await inputFor(services.db)), replayed: false }
    }

    const header = operation.method === 'post' ? request.headers.get('idempotency-key') : null
    const idempotencyKey = header === null ? undefined : idempotencyKeyOf(header)
    if (idempotencyKey === undefined) {
      const reply = await services.db.transaction(async (tx) => route.handle(tx, await inputFor(tx)))
      return { reply, replayed: false }
    }
    const repeated = repeatable(caller.keyId, idempotencyKey, pathOf(call.params), bodyText)
    return alone(underWay, repeated, () =>
      services.db.transaction(async (tx) => {
        const input = await inputFor(tx)
        return once(tx, repeated, now, operation.secretField, () => route.handle(tx, input))
      }),
    )
  }

  return {
    /** The way of a request for an operation. */
    to(route: Route): Walk {
      const { deprecation } = route.operation
      const fixed = fixedHeaders(route.operation, services.baseUrl)
      const known = { route, sunset: deprecation && sunsetAt(deprecation), pathOf: fixed.pathOf }
      return walk(route.operation, fixed, (call, entry, now) => perform(known, call, entry, now))
    },
    /** The way of a request for something that does not exist: known, metered and answered like any other. */
    astray: (refusal: (call: Call) => ApiError): Walk =>
      walk(undefined, fixedHeaders(undefined, services.baseUrl), async (call) => {
        throw refusal(call)
      }),
  }
}

function checkSize(request: Request): void {
  if (request.url.length > urlKibMax * 1024) throw new ApiError('uri_too_long')
  let bytes = 0
  for (const [name, value] of request.headers) bytes += name.length + value.length + 4
  if (bytes > headersKibMax * 1024) throw new ApiError('headers_too_large')
}

const noParameters = z.strictObject({})

/** Everything the caller sent in its declared form, or one error that names every fault. */
function validated(operation: Operation, { request, params }: Call, bodyText: string) {
  const faults: Fault[] = []
  const given = {
    params: operation.params ? check(operation.params, params, 'path', faults) : undefined,
    query:
      operation.query || request.url.includes('?')
        ? check(operation.query ?? noParameters, queryOf(request.url), 'query', faults)
        : undefined,
    body: undefined as unknown,
  }
  if (request.headers.get('content-length')?.includes(',')) {
    faults.push({ in: 'header', path: '/Content-Length', message: 'must be given once' })
  }
  const idempotencyKey = request.headers.get('idempotency-key')
  if (operation.method === 'post' && idempotencyKey !== null && !idempotencyKeyOf(idempotencyKey)) {
    faults.push({ in: 'header', path: '/Idempotency-Key', message: 'must be 1 to 255 visible ASCII characters' })
  }
  if (operation.body && bodyText === '' && operation.body instanceof z.ZodPrefault) {
    given.body = operation.body.parse(undefined)
  } else if (operation.body) {
    if (bodyText !== '') checkContentType(request, operation.method)
    given.body = check(operation.body, parseJson(bodyText), 'body', faults)
  }
  if (faults.length > 0) throw validationFailed(faults)
  return given
}
