import type { Operation } from '../../platform/api/operation.ts'
import { type Traits, traitsOf } from '../../platform/api/traits.ts'
import type { RecordedRequest } from '../recorded.ts'

/** A request with its times as numbers, and the operation that it called. */
export interface Entry extends RecordedRequest {
  readonly operation: Operation | undefined
  readonly traits: Traits | undefined
  /** Its number in the order of arrival; ids are in the order of responses. */
  readonly order: number
  /** By the sandbox's clock. */
  readonly atMs: number
  /** When it arrived and when its response ended, by the machine's clock. */
  readonly arrivedMs: number
  readonly endedMs: number
}

/** The requests of a client to the shop, oldest first. */
export interface History {
  readonly entries: readonly Entry[]
  /** What a client can call. */
  readonly operations: readonly Operation[]
  /** Whether these are all requests: the recorder drops the oldest. */
  readonly isComplete: boolean
}

/** Reads the requests that the recorder kept. */
export function readHistory(requests: readonly RecordedRequest[], operations: readonly Operation[]): History {
  const known = new Map(operations.map((operation) => [operation.id, { operation, traits: traitsOf(operation) }]))
  const arrivals = requests.map((request) => ({ request, arrivedMs: Date.parse(request.receivedAt) }))
  arrivals.sort((a, b) => a.arrivedMs - b.arrivedMs || a.request.id - b.request.id)
  const entries = arrivals.map(({ request, arrivedMs }, order): Entry => {
    const { operation, traits } = known.get(request.operationId ?? '') ?? {}
    const endedMs = arrivedMs + (request.durationMs ?? Number.POSITIVE_INFINITY)
    return { ...request, operation, traits, order, atMs: Date.parse(request.at), arrivedMs, endedMs }
  })
  // Ids are 1, 2, 3…
  return { entries, operations, isComplete: requests.every(({ id }) => id <= requests.length) }
}

/** How long the client waited after a response, by the clock that went further: tests may move the sandbox's. */
export const waitedMs = (responded: Entry, next: Entry): number =>
  responded.durationMs === null
    ? Number.NEGATIVE_INFINITY
    : Math.max(next.arrivedMs - responded.endedMs, next.atMs - responded.atMs - responded.durationMs)

/** Arrivals are known to the millisecond. */
const roundingMs = 1

/**
 * Whether the client can have known the response when it sent the other request. By the machine's clock: moving the sandbox's ends no
 * request.
 */
export const isAfter = (next: Entry, responded: Entry): boolean =>
  next.order > responded.order && next.arrivedMs - responded.endedMs >= -roundingMs

/** The same for requests that a client sends again, and for no others of its key. */
export const identityOf = ({ keyId, method, target, headers, body = '' }: Entry): string =>
  JSON.stringify([keyId, method, target, headers['idempotency-key'], headers['if-match'], body])

/** The requests that are the same, in the order they came. */
export const repeatsIn = (entries: readonly Entry[]): Entry[][] => [...Map.groupBy(entries, identityOf).values()]

export const isRead = ({ method }: Entry): boolean => method === 'GET' || method === 'HEAD'

export const pathOf = ({ target }: Entry): string => target.split('?')[0] ?? ''

export const retryAfterMs = ({ responseHeaders }: Entry): number | undefined => {
  const seconds = Number(responseHeaders['retry-after'] ?? Number.NaN)
  return Number.isNaN(seconds) ? undefined : seconds * 1000
}

/** The code of an error response. */
export function codeOf({ status, responseBody = '' }: Entry): string | undefined {
  if (status === null || status < 400) return undefined
  return /"code":\s*"(\w+)"/.exec(responseBody)?.[1]
}

/** Whether the response says that nothing was done. */
export const isUndone = (entry: Entry): boolean => codeOf(entry) === 'unavailable'

/** Whether the client cannot know what happened: no response, or a failure of the service. */
export const isLost = ({ status }: Entry): boolean => status === null || status >= 500
