import type { PetStoreError } from './errors.ts'
import type { Time } from './time.ts'

const firstBackOffMs = 250
const backOffMaxMs = 15_000

/** Nothing was done, or what was done is answered again: worth another attempt. */
const passing = new Set(['rate_limited', 'quota_exhausted', 'unavailable', 'idempotency_in_progress'])
const lost = new Set(['connection_failed', 'timed_out'])
/** What a proxy says of a service behind it. */
const passingStatuses = new Set([502, 503, 504])

/** Whether the request may have had its effect although no answer came. */
export const mayHaveHappened = ({ code, status }: PetStoreError): boolean =>
  lost.has(code) || passingStatuses.has(status)

export const isPassing = (error: PetStoreError): boolean => passing.has(error.code) || mayHaveHappened(error)

/** Exponential with full jitter, so that clients spread out. */
export const backOffMs = (attempt: number, random: Time['random']): number =>
  random() * Math.min(backOffMaxMs, firstBackOffMs * 2 ** (attempt - 1))

/** Never less than the service asks for. */
export const waitBeforeMs = (attempt: number, { retryAfterMs = 0 }: PetStoreError, random: Time['random']): number =>
  Math.max(retryAfterMs, backOffMs(attempt, random))
