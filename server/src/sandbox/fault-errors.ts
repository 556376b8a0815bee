import { banned, limitReached, rejected, unauthorized } from '../platform/access/admission.ts'
import {
  ApiError,
  apiErrors,
  type ErrorKind,
  outcomeUnknown,
  unavailable,
  validationFailed,
} from '../platform/api/errors.ts'
import { minuteMs } from '../platform/lib/time.ts'
import type { Used } from '../platform/limits/limiter.ts'
import type { Call } from '../surfaces/pipeline.ts'
import type { FaultRule } from './fault-rules.ts'

/** The length of a first ban. */
const banMs = 2 * minuteMs

/** Throws the error as the service itself would, with its headers and counters. */
export function throwError(call: Call, kind: ErrorKind): never {
  const { admission, now } = call
  const key = admission?.key
  if (key && admission) {
    const { used, limits } = admission
    const reject = (full: Used) => call.admit(rejected(key, full, now, limitReached({ used: full, limits, now })))
    if (kind === apiErrors.rate_limited) reject({ ...used, minute: limits.perMinute })
    if (kind === apiErrors.quota_exhausted) reject({ ...used, day: limits.perDay })
    if (kind === apiErrors.key_banned) call.admit(banned(key, used, now, { until: now + banMs, level: 1 }))
  }
  throw errorOf(kind)
}

function errorOf(kind: ErrorKind): ApiError {
  if (kind === apiErrors.missing_api_key || kind === apiErrors.invalid_api_key) return unauthorized(kind)
  if (kind === apiErrors.unavailable) return unavailable('The service is temporarily unavailable.')
  if (kind === apiErrors.outcome_unknown) return outcomeUnknown()
  if (kind === apiErrors.validation_failed)
    return validationFailed([
      { in: 'header', path: '/Prefer', message: 'asked for this response, or a fault rule did' },
    ])
  return new ApiError(kind)
}

/** Puts the time of a rule into the headers of an error. A limit that it simulates resets then, too. */
export function setRetryAfter(
  { headers, status }: Response,
  { retryAfterSeconds: seconds, retryAfterDate }: FaultRule,
  now: number,
): void {
  if (seconds === undefined || status < 400) return
  const until = now + seconds * 1000
  headers.set('Retry-After', retryAfterDate ? new Date(until).toUTCString() : String(seconds))
  if (status !== apiErrors.rate_limited.status) return
  headers.set('X-RateLimit-Reset', String(Math.ceil(until / 1000)))
  headers.set('RateLimit', (headers.get('RateLimit') ?? '').replaceAll(/r=0;t=\d+/g, `r=0;t=${seconds}`))
}
