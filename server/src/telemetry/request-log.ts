import { ApiError } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { createFailureLog } from './failure-log.ts'
import { errorFields, type Log } from './log.ts'
import type { RequestMetrics } from './metrics.ts'
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
}

const outcomeUnknown =
  'The connection to the database was lost during the commit, so it is unknown whether the change was stored. If you sent an Idempotency-Key, send the same request again: it takes effect only once. Otherwise check first, and send an Idempotency-Key next time.'

export type RequestLog = ReturnType<typeof createRequestLog>

/** Writes one log line and one measurement per request. Neither contains a body, a query, or a header value other than `X-Request-Id`. */
export function createRequestLog(log: Log, metrics: RequestMetrics, clock: Clock) {
  const unauthenticated = createUnauthenticatedLog(log, metrics)
  const logFailure = createFailureLog(log)
  const lastMinute = createRecentResponses(clock, 1000, 60)
  const lastDay = createRecentResponses(clock, 3_600_000, 24)
  return {
    lastMinute: lastMinute.read,
    /** The last 24 hours of this node, by hour. */
    lastDay: lastDay.readSlots,

    /** Writes one line for all requests without a valid key since the last call. */
    reportUnauthenticated: unauthenticated.report,

    /** Returns a function that logs each request for an operation. */
    forOperation(operation: string): (facts: RequestFacts, now: number) => void {
      const observe = metrics.forOperation(operation)
      return (facts, now) => {
        const { status, ms, keyId } = facts
        observe(status, ms)
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
        const message = error.effect === 'unknown' ? outcomeUnknown : undefined
        logFailure('request failed', errorFields(error).reason, { requestId })
        return new ApiError('unavailable', message, { headers: { 'Retry-After': '1' } })
      }
      const reason =
        error instanceof Error
          ? `${error.stack ?? error.message}${error.cause ? `, because ${error.cause}` : ''}`
          : String(error)
      log.write('error', 'request failed', { requestId, reason })
      return new ApiError('internal_error')
    },
  }
}
