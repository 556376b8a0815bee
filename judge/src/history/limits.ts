import type { Profile } from '../profile/profile.ts'
import { askedMs, patienceOf } from './asked-wait.ts'
import type { Exchange, History } from './exchange.ts'
import { isAfter, isAskedFor, isLimited, isSuccess, onTheWayMs, waitedMs } from './read.ts'

/** A rejection, and a request that should have come later. */
export type Early = readonly [rejection: Exchange, early: Exchange]

/** Whether a rejection by a limit is about this request too. */
export function isBehindLimit(next: Exchange, limited: Exchange, { limits }: Profile): boolean {
  if (next.client !== limited.client) return false
  const hasOwn = ({ operation = '' }: Exchange) => limits?.exempt?.includes(operation) ?? false
  if (hasOwn(next) || hasOwn(limited)) return next.operation === limited.operation
  return limits?.scope === 'client' || next.operation === limited.operation
}

/** Whether someone may have ended a limit before the next request: lifted a ban, or gave the key a larger one. */
export const mayBeLifted = ([rejection, next]: Early, { exchanges }: History, { limits }: Profile): boolean =>
  rejection.fault === undefined &&
  exchanges.some(
    (lift) =>
      limits?.liftedBy?.includes(lift.operation ?? '') &&
      isSuccess(lift) &&
      isAfter(lift, rejection) &&
      isAfter(next, lift),
  )

/** Whether a limit left room for smaller calls. The header is about the limit of the client, not about separate ones. */
const hasRoom = ({ operation = '', responseHeaders }: Exchange, { limits }: Profile): boolean =>
  limits?.remainingHeader !== undefined &&
  !limits.exempt?.includes(operation) &&
  Number(responseHeaders[limits.remainingHeader]) > 0

/** For each rejection by a limit, the first request that was sent while it lasted. The exchanges are those of one client, in order. */
export function sentWhileLimited(exchanges: readonly Exchange[], profile: Profile): Early[] {
  return exchanges.flatMap((rejection, index): Early[] => {
    // One that the client asked for says nothing about its other requests.
    if (!isLimited(rejection, profile) || isAskedFor(rejection) || askedMs(rejection, profile) === undefined) return []
    for (let at = index + 1; at < exchanges.length; at++) {
      const next = exchanges[at] as Exchange
      if (!isAfter(next, rejection) || waitedMs(rejection, next) < onTheWayMs) continue
      // Those that follow waited longer.
      if (patienceOf(rejection, next, profile) !== 'early') return []
      // Where there was room, only what needs more than that is sent too early.
      if (hasRoom(rejection, profile) && !isLimited(next, profile)) continue
      if (isBehindLimit(next, rejection, profile)) return [[rejection, next]]
    }
    return []
  })
}
