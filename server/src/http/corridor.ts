import type { Begin, Entry, Gate } from '../access/entry.ts'
import { setLimitHeaders } from '../access/headers.ts'
import { ApiError } from '../api/errors.ts'
import type { Outcome } from '../api/idempotency.ts'
import type { Invoke } from '../api/invoke.ts'
import type { Operation, Route } from '../api/operation.ts'
import { traitsOf } from '../api/traits.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Clock } from '../lib/clock.ts'
import type { RequestLog } from '../telemetry/request-log.ts'
import { createAnswers } from './answer.ts'
import { Exchange, type PathParams, type Peers, type Way } from './exchange.ts'
import { checkHead, leavesBodyUnread } from './head.ts'
import { acceptsAnswers } from './negotiate.ts'

interface Parts {
  readonly clock: Clock
  readonly gate: Gate
  readonly addressOf: Way['addressOf']
  readonly invoke: (route: Route) => Invoke
  readonly baseUrl: string
  readonly requestLog: RequestLog
}

/** The way of a request as the listener hands it over. */
export type Walk = (request: Request, params: PathParams, peers: Peers) => Awaitable<Response>

/** The way of every request, top to bottom. It waits only where there is something to wait for: a promise costs more than a read. */
export function createCorridor({ clock, gate, addressOf, invoke, baseUrl, requestLog }: Parts) {
  const wayTo = (operation: Operation | undefined, bodyTypes: readonly string[] = []): Way => ({
    operation,
    bodyTypes,
    gate,
    clock,
    addressOf,
  })

  function walk(
    way: Way,
    work: (exchange: Exchange) => Awaitable<Outcome>,
    enter: (exchange: Exchange) => Awaitable<Entry> = (exchange) => gate.enter(exchange),
  ): Walk {
    const { operation } = way
    const operationId = operation?.id ?? 'none'
    const answers = createAnswers(operation, baseUrl)
    const tell = requestLog.forOperation(operationId)

    const refusalOf = (exchange: Exchange, error: unknown): Response =>
      answers.refusal(exchange, requestLog.toApiError(error, exchange.requestId))
    const whenDecided = async (exchange: Exchange, entry: Promise<Entry>): Promise<Outcome> => {
      exchange.admit(await entry)
      exchange.hasWaited = true
      return exchange.begun ?? work(exchange)
    }

    /** To the end where nothing has to be waited for, as for a read on SQLite. */
    function atOnce(exchange: Exchange): Awaitable<Response> {
      let response: Response
      try {
        const entry = enter(exchange)
        if (entry instanceof Promise) return later(exchange, whenDecided(exchange, entry))
        exchange.admit(entry)
        const outcome = work(exchange)
        if (outcome instanceof Promise) return later(exchange, outcome)
        response = answers.outcome(exchange, outcome)
      } catch (error) {
        response = refusalOf(exchange, error)
      }
      // It came and is answered within one turn: the time at which it came does for both.
      return leave(exchange, response, exchange.now)
    }

    async function later(exchange: Exchange, outcome: Promise<Outcome>): Promise<Response> {
      let response: Response
      try {
        response = answers.outcome(exchange, await outcome)
      } catch (error) {
        response = refusalOf(exchange, error)
      }
      return leave(exchange, response, clock.now())
    }

    function leave(exchange: Exchange, response: Response, now: number): Response {
      const { entry, requestId, request, started } = exchange
      if (leavesBodyUnread(exchange, exchange.isGivenUp)) response.headers.set('Connection', 'close')
      if (entry) gate.leave(entry, response.status, now)
      const facts = {
        requestId,
        method: request.method,
        operation: operationId,
        status: response.status,
        ms: Math.round((performance.now() - started) * 100) / 100,
        keyId: entry?.key?.keyId,
      }
      tell(facts, now)
      return response
    }

    return (request, params, peers) => atOnce(new Exchange(request, params, peers, way))
  }

  return {
    /** The way of a preflight: it needs no key, counts nowhere and shows what is left all the same. */
    preflight(allowed: Record<string, string>): Walk {
      const way = wayTo(undefined)
      return async (request, params, peers) => {
        const exchange = new Exchange(request, params, peers, way)
        const response = new Response(null, { status: 204, headers: allowed })
        response.headers.set('X-Request-Id', exchange.requestId)
        setLimitHeaders(response.headers, await gate.shown(exchange))
        return response
      }
    },
    /** The way of a request for an operation. */
    to(route: Route): Walk {
      const call = invoke(route)
      const accepted = answerTypes(route.operation)
      const work = (exchange: Exchange) => {
        checkHead(exchange)
        if (!exchange.caller) throw new ApiError('missing_api_key')
        if (!acceptsAnswers(exchange.headers.accept, accepted)) throw new ApiError('not_acceptable')
        return call(exchange)
      }
      const begin: Begin<Exchange> = (exchange, expected, decided) => exchange.begin(expected, decided, work)
      const enterEarly = (exchange: Exchange) => gate.enter(exchange, begin)
      const way = wayTo(route.operation, traitsOf(route.operation).bodyTypes)
      // What a call costs beyond one request is not known before its body is.
      return walk(way, work, route.operation.costs ? undefined : enterEarly)
    },
    /** The way of a request for something that does not exist: known, metered and answered like any other. */
    astray: (refusal: unknown): Walk =>
      walk(wayTo(undefined), (exchange) => {
        checkHead(exchange)
        throw refusal
      }),
    /** Refuses every request without asking who calls, so none is metered. */
    refuse: (refusal: ApiError): Walk =>
      walk(
        wayTo(undefined),
        () => {
          throw refusal
        },
        (exchange) => gate.turnAway(exchange, refusal),
      ),
  }
}

export type Corridor = ReturnType<typeof createCorridor>

/** The media types an operation answers with. */
const answerTypes = ({ answers }: Operation): string[] => [
  ...new Set(Object.values(answers).map(({ type = 'application/json' }) => type)),
]
