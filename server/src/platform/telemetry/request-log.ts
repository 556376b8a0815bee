import { ApiError, apiErrors, unavailable } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { createBusiestKeys } from './busiest-keys.ts'
import type { Observe } from './histogram.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'
import { createRecentResponses } from './recent-responses.ts'
import { createUnauthenticatedLog } from './unauthenticated.ts'

/** The log fields of a request. */
export interface RequestFacts {
  readonly requestId: string
  readonly method: string
  /** The id of the operation, or `none`. */
  readonly operation: string
  readonly status: number
  readonly ms: number
  readonly keyId: number | undefined
  /** If traces are on. */
  readonly traceId: string | undefined
}

/** Clients tell it from a 503 that did nothing by its first words. */
const outcomeUnknown = () =>
  new ApiError(
    apiErrors.unavailable,
    'The outcome is unknown: the connection to the database was lost during the commit.',
    {
      advice:
        'If you sent an Idempotency-Key, send the same request again: it takes effect only once. Otherwise check first, and send an Idempotency-Key next time.',
      headers: { 'Retry-After': '1' },
    },
  )

export type RequestLog = ReturnType<typeof createRequestLog>

/** Writes one log line and one measurement per request. Neither contains a body, a query, or a header value other than `X-Request-Id`. */
export function createRequestLog(log: Log, metrics: Metrics, clock: Clock) {
  const unauthenticated = createUnauthenticatedLog(log, metrics)
  const countForKey = createBusiestKeys(metrics, clock)
  const lastMinute = createRecentResponses(clock, 1000, 60)
  const lastDay = createRecentResponses(clock, 3_600_000, 24)
  const durations = metrics.addHistogram({
    name: 'petstore_request_duration_seconds',
    help: 'Time from request to response.',
    labels: ['operation', 'status'],
  })
  let inFlight = 0
  metrics.add({
    name: 'petstore_requests_in_flight',
    help: 'Requests without a response yet.',
    kind: 'gauge',
    read: () => inFlight,
  })
  return {
    lastMinute: lastMinute.read,
    /** The last 24 hours of this node, by hour. */
    lastDay: lastDay.readSlots,

    /** Writes one line for all requests without a valid key since the last call. */
    reportUnauthenticated: unauthenticated.report,

    /** To be called when a request begins; the function below ends it. */
    begin: () => void inFlight++,

    /** How many requests have no response yet. */
    inFlight: () => inFlight,

    /** Returns a function that logs each request for an operation. */
    forOperation(operation: string): (facts: RequestFacts, now: number) => void {
      const byStatus = new Map<number, Observe>()
      return (facts, now) => {
        const { status, ms, keyId } = facts
        inFlight--
        const observe = byStatus.getOrInsertComputed(status, () => durations(operation, String(status)))
        observe(ms / 1000)
        if (keyId !== undefined) countForKey(keyId, now)
        lastMinute.count(status, now)
        lastDay.count(status, now)
        const isUnauthenticated = keyId === undefined && status < 500
        if (isUnauthenticated) unauthenticated.count(status)
        log.write(isUnauthenticated ? 'debug' : 'info', 'request', facts, now)
      }
    },

    /** Converts any error to the one the client gets. Details the client must not see go to the log. */
    toApiError(error: unknown, requestId: string): ApiError {
      if (error instanceof ApiError) return error
      if (error instanceof DatabaseUnavailable) {
        log.write('warn', 'request failed', { requestId, ...errorFields(error) })
        return error.effect === 'unknown' ? outcomeUnknown() : unavailable('The service is temporarily unavailable.')
      }
      const reason =
        error instanceof Error
          ? `${error.stack ?? error.message}${error.cause ? `, because ${error.cause}` : ''}`
          : String(error)
      log.write('error', 'request failed', { requestId, reason })
      return new ApiError(apiErrors.internal_error)
    },
  }
}
