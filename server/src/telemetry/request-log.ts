import { ApiError } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { createLastMinute } from './last-minute.ts'
import { because, type Log } from './log.ts'
import type { RequestMetrics } from './metrics.ts'
import { createRepeated } from './repeated.ts'
import { createStrangers } from './strangers.ts'

/** What is told of a request that was answered. */
export interface RequestFacts {
  readonly requestId: string
  readonly method: string
  /** The id of the operation; `none` where there is none. */
  readonly operation: string
  readonly status: number
  readonly ms: number
  readonly keyId: number | undefined
}

const outcomeUnknown =
  'The database went away while this was being stored, and nobody knows whether it was. With an Idempotency-Key, send the same again: it is done once. Without one, look first, and send an Idempotency-Key next time.'

export type RequestLog = ReturnType<typeof createRequestLog>

/** One line and one measurement a request. Neither holds a body, a query or a header's value but `X-Request-Id`. */
export function createRequestLog(log: Log, metrics: RequestMetrics, clock: Clock) {
  const strangers = createStrangers(log, metrics)
  const repeated = createRepeated(log)
  const lastMinute = createLastMinute(clock)
  return {
    lastMinute: lastMinute.read,

    /** To be called every now and then: one line for all who came without a valid key. */
    tellOfStrangers: strangers.tell,

    /** Tells of the answers to requests for an operation. */
    of(operation: string): (facts: RequestFacts, now: number) => void {
      const observe = metrics.of(operation)
      return (facts, now) => {
        const { status, ms, keyId } = facts
        observe(status, ms)
        lastMinute.count(status, now)
        const isStranger = keyId === undefined && status < 500
        if (isStranger) strangers.refused(status)
        log.write(isStranger ? 'debug' : 'info', 'request', facts, now)
      }
    },

    /** What the client is told of a failure. What it is not told goes to the log. */
    asApiError(error: unknown, requestId: string): ApiError {
      if (error instanceof ApiError) return error
      const unavailable = error instanceof DatabaseUnavailable
      if (unavailable) {
        const message = error.effect === 'unknown' ? outcomeUnknown : undefined
        repeated('request failed', because(error).reason, { requestId })
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
