import type { Entry, Gate } from '../access/entry.ts'
import { ApiError } from '../api/errors.ts'
import type { Outcome } from '../api/idempotency.ts'
import type { Invoke } from '../api/invoke.ts'
import type { Operation, Route } from '../api/operation.ts'
import { traitsOf } from '../api/traits.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { createAnswers, type Exchange } from './answer.ts'
import { readBody } from './body.ts'
import { checkHead, leavesBodyUnread, requestIdOf } from './head.ts'
import { acceptsAnswers } from './negotiate.ts'
import { queryOf } from './query.ts'

interface Parts {
  readonly clock: Clock
  readonly gate: Gate
  /** The address a request is metered by: the peer's, or one that a trusted proxy tells. */
  readonly addressOf: (peer: string, forwardedFor: string | null) => string
  readonly invoke: (route: Route) => Invoke
  readonly baseUrl: string
  readonly requestLog: RequestLog
}

/** A request as the listener hands it over. */
export interface Arrival {
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  /** The address of the other end of the socket. */
  readonly peer: () => string
}

type Charge = (requests: number) => Promise<void>

export type Walk = (arrival: Arrival) => Promise<Response>

/** The way of every request, top to bottom. */
export function createCorridor({ clock, gate, addressOf, invoke, baseUrl, requestLog }: Parts) {
  const incoming = ({ request, peer }: Arrival, now: number, operation: Operation | undefined) => ({
    apiKey: request.headers.get('x-api-key'),
    authorization: request.headers.get('authorization'),
    address: () => addressOf(peer(), request.headers.get('x-forwarded-for')),
    now,
    operation,
  })

  function way(
    operation: Operation | undefined,
    work: (arrival: Arrival, entry: Entry, now: number, charge: Charge) => Promise<Outcome>,
  ): Walk {
    const answers = createAnswers(operation, baseUrl)
    return async (arrival) => {
      const { request, params } = arrival
      const started = performance.now()
      const now = clock.now()
      const exchange: Exchange = { request, params, requestId: requestIdOf(request), limits: {} }
      let entry: Entry | undefined
      let response: Response
      const admit = (found: Entry): Entry => {
        entry = found
        exchange.limits = found.headers
        if (found.refusal) throw found.refusal
        return found
      }
      try {
        const entered = await gate.enter(incoming(arrival, now, operation))
        admit(entered)
        checkHead(request)
        const charge: Charge = async (requests) => void admit(await gate.charge(entered, requests, now))
        response = answers.outcome(exchange, await work(arrival, entered, now, charge))
      } catch (error) {
        response = answers.refusal(exchange, requestLog.asApiError(error, exchange.requestId))
      }
      if (leavesBodyUnread(request)) response.headers.set('Connection', 'close')
      if (entry) gate.leave(entry, response.status)
      requestLog.write({
        requestId: exchange.requestId,
        method: request.method,
        operation: operation?.id ?? 'none',
        status: response.status,
        durationMs: performance.now() - started,
        keyId: entry?.caller?.keyId,
      })
      return response
    }
  }

  return {
    /** The way of a preflight: it needs no key, counts nowhere and shows what is left all the same. */
    preflight:
      (allowed: Record<string, string>): Walk =>
      async (arrival) => {
        const limits = await gate.shown(incoming(arrival, clock.now(), undefined))
        const headers = { ...allowed, ...limits, 'X-Request-Id': requestIdOf(arrival.request) }
        return new Response(null, { status: 204, headers })
      },
    /** The way of a request for an operation. */
    to(route: Route): Walk {
      const call = invoke(route)
      const { bodyTypes } = traitsOf(route.operation)
      const accepted = answerTypes(route.operation)
      return way(route.operation, async ({ request, params }, entry, now, charge) => {
        const { headers, url } = request
        const { caller } = entry
        if (!caller) throw new ApiError('missing_api_key')
        if (!acceptsAnswers(headers.get('accept'), accepted)) throw new ApiError('not_acceptable')
        return call({
          caller,
          confirmed: (db) => gate.stillAllowed(db, entry, route.operation, clock.now()),
          now,
          charge,
          params,
          query: url.includes('?') ? queryOf(url) : undefined,
          body: () => readBody(request, bodyTypes),
          ifMatch: headers.get('if-match'),
          ifNoneMatch: headers.get('if-none-match'),
          idempotencyKey: headers.get('idempotency-key'),
        })
      })
    },
    /** The way of a request for something that does not exist: known, metered and answered like any other. */
    astray: (refusal: unknown): Walk =>
      way(undefined, async () => {
        throw refusal
      }),
  }
}

export type Corridor = ReturnType<typeof createCorridor>

/** The media types an operation answers with. */
const answerTypes = ({ answers }: Operation): string[] => [
  ...new Set(Object.values(answers).map(({ type = 'application/json' }) => type)),
]
