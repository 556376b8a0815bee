import { ApiError, type ErrorCode } from '../api/errors.ts'
import type { Ban } from '../keys/bans.ts'
import { blockingWindow, secondsUntil, type WindowState } from '../limits/windows.ts'

// Errors for calls that the gate refuses.

const retryAt = (code: ErrorCode, message: string, at: number, now: number): ApiError => {
  const seconds = secondsUntil(at, now)
  return new ApiError(code, `${message} Retry in ${seconds} s.`, { headers: { 'Retry-After': String(seconds) } })
}

const codeOf = ({ name }: WindowState): ErrorCode => (name === 'day' ? 'quota_exhausted' : 'rate_limited')

/** A window has no room for one more request. */
export function limitReached(windows: readonly [WindowState, WindowState], which: string, now: number): ApiError {
  const window = blockingWindow(windows)
  const message = `All ${window.limit} requests ${which} in this ${window.name} are used.`
  return retryAt(codeOf(window), message, window.resetAt, now)
}

/** The windows have room, but not for every request that the call counts as. */
export function batchTooLarge(windows: readonly [WindowState, WindowState], more: number, now: number): ApiError {
  const window = blockingWindow(windows, more)
  const message = `This call needs ${more} more requests, and ${window.remaining} are left in this ${window.name}. Nothing was done.`
  return retryAt(codeOf(window), message, window.resetAt, now)
}

export function keyBanned({ until }: Ban, now: number): ApiError {
  const message = `This key is banned until ${new Date(until).toISOString()} for sending requests after 429.`
  return retryAt('key_banned', message, until, now)
}

export const unauthorized = (code: 'missing_api_key' | 'invalid_api_key') =>
  new ApiError(code, undefined, {
    headers: { 'WWW-Authenticate': 'Bearer realm="petstore", ApiKey realm="petstore", header="X-API-Key"' },
  })
