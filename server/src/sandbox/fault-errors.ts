import { makeKeyAdmission } from '../platform/access/make-admission.ts'
import { keyBanned, unauthorized } from '../platform/access/refusals.ts'
import { ApiError, type ErrorCode, unavailable, validationFailed } from '../platform/api/errors.ts'
import { minuteMs } from '../platform/lib/time.ts'
import type { Exchange } from '../surfaces/http/exchange.ts'

/** The length of a first ban. */
const banMs = 2 * minuteMs

/** Throws the error as the service itself would, with its headers and counters. */
export function throwError(exchange: Exchange, code: ErrorCode): never {
  const { admission, now } = exchange
  const key = admission?.key
  if (key && admission) {
    const { used, limits } = admission
    const full = { minute: limits.perMinute, day: limits.perDay }
    if (code === 'rate_limited') exchange.admit(makeKeyAdmission(key, { ...used, minute: full.minute }, now, 'full'))
    if (code === 'quota_exhausted') exchange.admit(makeKeyAdmission(key, { ...used, day: full.day }, now, 'full'))
    if (code === 'key_banned') {
      const ban = { until: now + banMs, level: 1 }
      exchange.admit({ ...makeKeyAdmission(key, used, now, keyBanned(ban, now)), bannedUntil: ban.until })
    }
  }
  throw errorOf(code)
}

function errorOf(code: ErrorCode): ApiError {
  if (code === 'missing_api_key' || code === 'invalid_api_key') return unauthorized(code)
  if (code === 'unavailable') return unavailable('The service is temporarily unavailable.')
  if (code === 'validation_failed')
    return validationFailed([
      { in: 'header', path: '/Prefer', message: 'asked for this response, or a fault rule did' },
    ])
  return new ApiError(code)
}
