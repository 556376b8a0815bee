import { ApiError } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import type { Answer } from '../http/answer.ts'
import type { Log } from './log.ts'
import type { RequestMetrics } from './metrics.ts'

const outcomeUnknown =
  'The database went away while this was being stored, and nobody knows whether it was. With an Idempotency-Key, send the same again: it is done once. Without one, look first, and send an Idempotency-Key next time.'

export type RequestLog = ReturnType<typeof createRequestLog>

/** One line and one measurement a request. Neither holds a body, a query or a header's value but `X-Request-Id`. */
export function createRequestLog(log: Log, metrics: RequestMetrics) {
  return {
    write(answer: Answer, status: number, durationMs: number): void {
      const operation = answer.operation?.id ?? 'none'
      metrics.observe(operation, status, durationMs)
      if (!log.enabled('info')) return
      log.write('info', 'request', {
        requestId: answer.requestId,
        method: answer.request.method,
        operation,
        status,
        ms: Math.round(durationMs * 100) / 100,
        keyId: answer.entry?.caller?.keyId,
      })
    },

    /** What the client is told of a failure. What it is not told goes to the log. */
    asApiError(error: unknown, requestId: string): ApiError {
      if (error instanceof ApiError) return error
      const unavailable = error instanceof DatabaseUnavailable
      const message = unavailable && error.outcome === 'unknown' ? outcomeUnknown : undefined
      const reason =
        error instanceof Error
          ? `${error.stack ?? error.message}${error.cause ? `, because ${error.cause}` : ''}`
          : String(error)
      log.write(unavailable ? 'warn' : 'error', 'request failed', { requestId, reason })
      return unavailable
        ? new ApiError('unavailable', message, { headers: { 'Retry-After': '1' } })
        : new ApiError('internal_error')
    },
  }
}
