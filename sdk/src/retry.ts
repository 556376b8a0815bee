import { createError } from './error-kinds.ts'
import type { PetStoreError } from './errors.ts'
import type { Time } from './time.ts'

const firstBackOffMs = 250
const backOffMaxMs = 15_000
/** The last try is made this long before the end of the call. */
const lastTryMs = 500
/** A 500 will probably come again, so the caller gets it after a few. */
const serverFaultsMax = 3

/** Worth a retry: nothing was done, or a retry gets the stored response. */
const transientCodes = new Set(['rate_limited', 'quota_exhausted', 'unavailable', 'idempotency_in_progress'])
const lostCodes = new Set(['connection_failed', 'timed_out'])
/** What the service or a proxy returns if the service fails. */
const transientStatuses = new Set([500, 502, 503, 504])

/** Whether the request may have succeeded although its response does not say so, or did not come. `unavailable`: nothing was done. */
export const mayHaveHappened = ({ code, status }: PetStoreError): boolean =>
  code !== 'unavailable' && (lostCodes.has(code) || transientStatuses.has(status))

export const isTransient = (error: PetStoreError): boolean => transientCodes.has(error.code) || mayHaveHappened(error)

/** Whether the service decided before it looked at the change: then an earlier try may have made it. */
const saysNothing = ({ code, status }: PetStoreError): boolean =>
  code === 'unavailable' || status === 401 || status === 403 || status === 429

/** The last try that may have made a change. */
export const findUnclear = (method: string, tries: readonly PetStoreError[]): PetStoreError | undefined =>
  method === 'GET' ? undefined : tries.findLast(mayHaveHappened)

/** What to throw when a call ends with this error: if an earlier try may have made the change, that. */
export const finalError = (method: string, error: PetStoreError, before: readonly PetStoreError[]): PetStoreError =>
  (saysNothing(error) && findUnclear(method, before)) || error

/** Exponential with full jitter, so that clients spread out. */
export const backOffMs = (tries: number, random: Time['random']): number =>
  random() * Math.min(backOffMaxMs, firstBackOffMs * 2 ** (tries - 1))

/**
 * How long to wait after failed tries; undefined to give up: there is no time for another try, or it would fail the same
 * way. Never less than the service asks for.
 */
export function waitBeforeRetryMs(
  failures: readonly PetStoreError[],
  leftMs: number,
  random: Time['random'],
): number | undefined {
  const error = failures.at(-1)
  if (!error || !isTransient(error)) return undefined
  if (failures.filter(({ status }) => status === 500).length >= serverFaultsMax) return undefined
  const askedMs = error.retryAfterMs ?? 0
  if (leftMs <= lastTryMs || leftMs < askedMs) return undefined
  return Math.max(askedMs, Math.min(backOffMs(failures.length, random), leftMs - lastTryMs))
}

/** Whether a change may be rejected because an earlier try succeeded. A POST gets its stored response instead. */
export const isRejectedRepeat = (
  method: string,
  { status }: PetStoreError,
  before: readonly PetStoreError[],
): boolean => method !== 'POST' && (status === 409 || status === 412) && before.some(mayHaveHappened)

export const explainRepeat = (error: PetStoreError): PetStoreError =>
  createError({
    ...error,
    message: `${error.message} An earlier attempt of this call failed without a clear outcome and may have made the change: read the resource to find out.`,
  })
