import { ApiError } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import type { Log } from './log.ts'
import type { RequestMetrics } from './metrics.ts'

/** What is told of a request that was answered. */
export interface RequestFacts {
  readonly requestId: string
  readonly method: string
  /** The id of the operation; `none` where there is none. */
  readonly operation: string
  readonly status: number
  readonly durationMs: number
  readonly keyId: number | undefined
}

export type RequestLog = ReturnType<typeof createRequestLog>

/** One line and one measurement a request. Neither holds a body, a query or a header's value but `X-Request-Id`. */
export function createRequestLog(log: Log, metrics: RequestMetrics) {
  return {
    write({ durationMs, ...facts }: RequestFacts): void {
      metrics.observe(facts.operation, facts.status, durationMs)
      if (!log.enabled('info')) return
      const { requestId, method, operation, status, keyId } = facts
      log.write('info', 'request', {
        requestId,
        method,
        operation,
        status,
        ms: Math.round(durationMs * 100) / 100,
        keyId,
      })
    },

    /** What the client is told of a failure. What it is not told goes to the log. */
    asApiError(error: unknown, requestId: string): ApiError {
      if (error instanceof ApiError) return error
      const unavailable = error instanceof DatabaseUnavailable
      const reason =
        error instanceof Error
          ? `${error.stack ?? error.message}${error.cause ? `, because ${error.cause}` : ''}`
          : String(error)
      log.write(unavailable ? 'warn' : 'error', 'request failed', { requestId, reason })
      return unavailable
        ? new ApiError('unavailable', undefined, { headers: { 'Retry-After': '1' } })
        : new ApiError('internal_error')
    },
  }
}
