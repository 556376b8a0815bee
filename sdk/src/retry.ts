import type { PetStoreError } from './errors.ts'
import type { Time } from './time.ts'

const firstBackOffMs = 250
const backOffMaxMs = 15_000

/** Worth a retry: nothing was done, or a retry gets the stored answer. */
const transientCodes = new Set(['rate_limited', 'quota_exhausted', 'unavailable', 'idempotency_in_progress'])
const lostCodes = new Set(['connection_failed', 'timed_out'])
/** What a proxy answers if the service behind it fails. */
const transientStatuses = new Set([502, 503, 504])

/** Whether the request may have succeeded although no answer came. */
export const mayHaveHappened = ({ code, status }: PetStoreError): boolean =>
  lostCodes.has(code) || transientStatuses.has(status)

export const isTransient = (error: PetStoreError): boolean => transientCodes.has(error.code) || mayHaveHappened(error)

/** Exponential with full jitter, so that clients spread out. */
export const backOffMs = (tries: number, random: Time['random']): number =>
  random() * Math.min(backOffMaxMs, firstBackOffMs * 2 ** (tries - 1))

/** Never less than the service asks for. */
export const waitBeforeMs = (tries: number, { retryAfterMs = 0 }: PetStoreError, random: Time['random']): number =>
  Math.max(retryAfterMs, backOffMs(tries, random))
