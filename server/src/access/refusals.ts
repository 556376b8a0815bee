import { ApiError } from '../api/errors.ts'
import type { Ban } from '../keys/bans.ts'
import { blockingWindow, secondsUntil, type WindowState } from '../limits/windows.ts'

// Errors for calls that the gate refuses.

/** A window has no room for one more request. */
export function limitReached(windows: readonly [WindowState, WindowState], which: string, now: number): ApiError {
  const { name, limit, resetAt } = blockingWindow(windows)
  const seconds = secondsUntil(resetAt, now)
  return new ApiError(
    name === 'day' ? 'quota_exhausted' : 'rate_limited',
    `All ${limit} requests ${which} in this ${name} are used. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

/** The windows have room, but not for every request that the call counts as. */
export function batchTooLarge(windows: readonly [WindowState, WindowState], more: number, now: number): ApiError {
  const { name, remaining, resetAt } = blockingWindow(windows, more)
  const seconds = secondsUntil(resetAt, now)
  return new ApiError(
    name === 'day' ? 'quota_exhausted' : 'rate_limited',
    `This call needs ${more} more requests, and ${remaining} are left in this ${name}. Nothing was done. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

export function keyBanned({ until }: Ban, now: number): ApiError {
  const seconds = secondsUntil(until, now)
  return new ApiError(
    'key_banned',
    `This key is banned until ${new Date(until).toISOString()} for sending requests after 429. Retry in ${seconds} s.`,
    { headers: { 'Retry-After': String(seconds) } },
  )
}

export const unauthorized = (code: 'missing_api_key' | 'invalid_api_key') =>
  new ApiError(code, undefined, {
    headers: { 'WWW-Authenticate': 'Bearer realm="petstore", ApiKey realm="petstore", header="X-API-Key"' },
  })
