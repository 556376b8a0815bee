import { z } from 'zod'
import type { Entry, Gate } from '../access/entry.ts'
import { crowded } from '../access/refusals.ts'
import { sunsetAt } from '../api/deprecation.ts'
import { ApiError, type Fault, validationFailed } from '../api/errors.ts'
import { mustMatch } from '../api/etag.ts'
import { alone, idempotencyKeyOf, type Outcome, once, repeatable } from '../api/idempotency.ts'
import type { Input, Operation, Route } from '../api/operation.ts'
import { headersKibMax, urlKibMax } from '../api/sizes.ts'
import { check, queryOf } from '../api/validate.ts'
import type { Database } from '../db/database.ts'
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
        entry = await services.gate.enter({ request, peer: call.peer, now }, operation)
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
    if (operation.scope && !caller.scopes.has(operation.scope)) {
      throw new ApiError('insufficient_scope', `This operation needs the scope ${operation.scope}.`)
    }
    if (!acceptsJson(request.headers.get('accept'))) throw new ApiError('not_acceptable')

    // What is left of a quota can be asked whatever else is going on.
    if (operation.meter !== 'own' && !services.db.hasRoomFor(route.kind)) throw crowded()

    const bodyText = operation.body ? await readBody(request) : ''
    const input: Input = {
      ...validated(operation, call, bodyText),
      caller,
      now,
      conditional: request.headers.has('if-match'),
      mustMatch: (...states) => mustMatch(request.headers.get('if-match'), states, operation.etag ?? true),
    }
    if (route.kind === 'read') return { reply: await route.handle(services.db, input), replayed: false }

    const header = operation.method === 'post' ? request.headers.get('idempotency-key') : null
    const idempotencyKey = header === null ? undefined : idempotencyKeyOf(header)
    if (idempotencyKey === undefined) {
      return { reply: await services.db.transaction((tx) => route.handle(tx, input)), replayed: false }
    }
    const repeated = repeatable(caller.keyId, idempotencyKey, pathOf(call.params), bodyText)
    return alone(underWay, repeated, () =>
      services.db.transaction((tx) => once(tx, repeated, now, operation.secretField, () => route.handle(tx, input))),
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
