import { ApiError, apiErrors, outcomeUnknown, unavailable } from '../api/errors.ts'
import { DatabaseUnavailable } from '../db/database.ts'
import type { Clock } from '../lib/clock.ts'
import { minuteMs } from '../lib/time.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics, Observe, Reading } from './metrics.ts'

/** The log fields of a request. */
interface RequestFacts {
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

    /** Must be called when a request begins; the function that `forOperation` returns ends it. */
    begin: () => void inFlight++,

    /** How many requests have no response yet. */
    inFlight: () => inFlight,

    /** Returns a function that logs a finished request for an operation. */
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

const keysShown = 10
/** Keys beyond this many in a minute share one count, so that memory is bounded. */
const keysMax = 10_000
const otherKeys = 0

/** Counts the requests of each key in the last whole minute, and shows the busiest keys. */
function createBusiestKeys(metrics: Metrics, clock: Clock) {
  let minute = 0
  let current = new Map<number, number>()
  let last = new Map<number, number>()

  function turn(now: number): void {
    const currentMinute = Math.floor(now / minuteMs)
    if (currentMinute === minute) return
    last = currentMinute === minute + 1 ? current : new Map()
    current = new Map()
    minute = currentMinute
  }

  metrics.add({
    name: 'petstore_busiest_key_requests',
    help: 'Requests of the ten busiest keys on this node in the last whole minute.',
    kind: 'gauge',
    labels: ['key_id'],
    read() {
      turn(clock.now())
      const byRequests = [...last].filter(([keyId]) => keyId !== otherKeys).sort(([, one], [, other]) => other - one)
      return byRequests.slice(0, keysShown).map(([keyId, requests]): Reading => [requests, String(keyId)])
    },
  })

  return (keyId: number, now: number): void => {
    turn(now)
    const counted = current.size < keysMax || current.has(keyId) ? keyId : otherKeys
    current.set(counted, (current.get(counted) ?? 0) + 1)
  }
}

/** Counts requests rejected for lack of a valid key. A log line for each would let anyone fill the log, so they share one. */
function createUnauthenticatedLog(log: Log, metrics: Metrics) {
  let total = 0
  const unreported = new Map<number, { requests: number }>()
  metrics.add({
    name: 'petstore_unauthenticated_requests_total',
    help: 'Requests rejected for lack of a valid key.',
    kind: 'counter',
    read: () => total,
  })

  return {
    count(status: number): void {
      total++
      unreported.getOrInsertComputed(status, () => ({ requests: 0 })).requests++
    },
    /** Writes one line for all requests since the last report. */
    report(): void {
      if (unreported.size === 0) return
      const statuses = Object.fromEntries([...unreported].map(([status, { requests }]) => [status, requests]))
      unreported.clear()
      log.write('info', 'requests without a valid key were rejected', { statuses })
    },
  }
}

/** The responses sent in a period. */
interface ResponseCounts {
  readonly requests: number
  /** 4xx responses. */
  readonly rejected: number
  /** 5xx responses. */
  readonly failed: number
}

interface SlotCounts extends ResponseCounts {
  /** When the slot began. */
  readonly from: number
}

/** Counts the responses of the last `slotCount` slots of time, such as 60 seconds or 24 hours. */
export function createRecentResponses(clock: Clock, slotMs: number, slotCount: number) {
  const slots = Array.from({ length: slotCount }, () => ({ number: 0, requests: 0, rejected: 0, failed: 0 }))
  const numberOf = (ms: number): number => Math.floor(ms / slotMs)
  /** All slots, the oldest first; the last one is still filling. */
  const readSlots = (): SlotCounts[] => {
    const oldest = numberOf(clock.now()) - slotCount + 1
    return Array.from({ length: slotCount }, (_, index) => {
      const slot = slots.find(({ number }) => number === oldest + index)
      const { requests = 0, rejected = 0, failed = 0 } = slot ?? {}
      return { from: (oldest + index) * slotMs, requests, rejected, failed }
    })
  }
  return {
    count(status: number, now: number): void {
      const number = numberOf(now)
      const slot = slots[number % slotCount]
      if (!slot) return
      if (slot.number !== number) Object.assign(slot, { number, requests: 0, rejected: 0, failed: 0 })
      slot.requests++
      if (status >= 500) slot.failed++
      else if (status >= 400) slot.rejected++
    },
    read(): ResponseCounts {
      const oldest = numberOf(clock.now()) - slotCount
      const recent = slots.filter(({ number }) => number > oldest)
      const sum = (field: keyof ResponseCounts) => recent.reduce((total, slot) => total + slot[field], 0)
      return { requests: sum('requests'), rejected: sum('rejected'), failed: sum('failed') }
    },
    readSlots,
  }
}
