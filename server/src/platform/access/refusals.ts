import { ApiError, apiErrors, type ErrorKind } from '../api/errors.ts'
import type { Ban } from '../keys/bans.ts'
import { blockingWindow, secondsUntil, type WindowState } from '../limits/windows.ts'
import { counted } from './counted.ts'

// Errors for calls that the gate refuses.

const retryAt = (kind: ErrorKind, what: string, at: number, now: number, more = ''): ApiError => {
  const seconds = secondsUntil(at, now)
  const advice = `Retry in ${seconds} s${more}.`
  return new ApiError(kind, what, { advice, headers: { 'Retry-After': String(seconds) } })
}

/** Only keys are banned. */
const keyWarning = '; what this key sends before that counts towards a temporary ban'

const kindOf = ({ name }: WindowState): ErrorKind =>
  name === 'day' ? apiErrors.quota_exhausted : apiErrors.rate_limited

/** A window has no room for one more request. */
export function limitReached(windows: readonly [WindowState, WindowState], which: string, now: number): ApiError {
  const window = blockingWindow(windows)
  const message = `All ${window.limit} requests ${which} in this ${window.name} are used.`
  return retryAt(kindOf(window), message, window.resetAt, now, which === counted.key ? keyWarning : '')
}

/** The windows have room, but not for every request that the call counts as. */
export function batchTooLarge(windows: readonly [WindowState, WindowState], more: number, now: number): ApiError {
  const window = blockingWindow(windows, more)
  const message = `This call needs ${more} more requests, and ${window.remaining} are left in this ${window.name}. Nothing was done.`
  return retryAt(kindOf(window), message, window.resetAt, now, keyWarning)
}

export function keyBanned({ until }: Ban, now: number): ApiError {
  const message = `This key is banned until ${new Date(until).toISOString()}, because it continued to send requests after 429.`
  return retryAt(apiErrors.key_banned, message, until, now, '; until then, GET /limits shows the ban and costs nothing')
}

export const unauthorized = (kind: ErrorKind) =>
  new ApiError(kind, undefined, {
    headers: { 'WWW-Authenticate': 'Bearer realm="petstore", ApiKey realm="petstore", header="X-API-Key"' },
  })
