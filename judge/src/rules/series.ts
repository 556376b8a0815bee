import { askedMs } from '../history/asked-wait.ts'
import type { Exchange } from '../history/exchange.ts'
import { byCall, hasFailed, isAskedFor, isComplete, isSurelyAfter, waitedMs, waitsBetween } from '../history/read.ts'
import type { Profile } from '../profile/profile.ts'

/** The tries of one call that failed and did not say how long to wait, with the waits between them. */
export interface Series {
  readonly tries: readonly [Exchange, ...Exchange[]]
  readonly waits: readonly number[]
  /** The requests that were the same, including those of other calls. */
  readonly same: readonly Exchange[]
}

/** A test whose result has at most this chance for a client that keeps the rule is evidence against it. */
export const chanceMax = 1e-4

/** A busy machine rarely makes a wait longer by this much. Only what differs more is evidence for a client. */
export const noiseMs = 100

/** The latest ones are enough. */
const seriesMax = 100

/** Waits of a call that differ by a smaller share are alike. */
const alikeShare = 0.25
/** A client that asks at such a pace, whatever the response, may be polling. */
const pollMsMin = 1_800

/** The series of a client, each with at least two tries. */
export function seriesIn(exchanges: readonly Exchange[], profile: Profile): Series[] {
  const others = exchanges.filter(
    (exchange) => !profile.streams?.operations.includes(exchange.operation ?? '') && !isAskedFor(exchange),
  )
  if (!others.some(hasFailed)) return []
  return byCall(others)
    .filter((same) => !hasCallersSideBySide(same))
    .flatMap((same) => seriesOf(same, profile))
    .filter((series) => !isPolled(series))
    .slice(-seriesMax)
}

/** Several callers of one URL cannot be told apart. */
const hasCallersSideBySide = (same: readonly Exchange[]): boolean =>
  same.some((next, index) => {
    const before = same[index - 1]
    return before !== undefined && hasFailed(before) && !isSurelyAfter(next, before)
  })

function seriesOf(same: readonly Exchange[], profile: Profile): Series[] {
  const found: Series[] = []
  let tries: Exchange[] = []
  const finish = () => {
    const waits = waitsBetween(tries)
    if (waits.length > 0) found.push({ tries: tries as [Exchange, ...Exchange[]], waits, same })
    tries = []
  }
  for (const exchange of same) {
    tries.push(exchange)
    // Waiting for a response that did not come counts as waiting.
    const isLast = !hasFailed(exchange) || exchange.received === 'abandoned'
    if (isLast || askedMs(exchange, profile) !== undefined) finish()
  }
  finish()
  return found
}

/** Whether the client may ask at this pace whatever the response: it also does after a success, or the pace is slow and steady. */
function isPolled({ same, waits }: Series): boolean {
  const middle = waits.toSorted((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0
  if (middle >= pollMsMin && spreadOf(waits) <= alikeShare) return true
  return same.some((exchange, index) => {
    const next = same[index + 1]
    const isSuccess = isComplete(exchange) && !hasFailed(exchange)
    return next && isSuccess && Math.abs(waitedMs(exchange, next) - middle) <= alikeShare * middle
  })
}

/** How far apart the waits are, as a share of the longest. Their times are known to the millisecond. */
export const spreadOf = (waits: readonly number[]): number => {
  const longest = Math.max(...waits)
  return Math.min(1, (longest - Math.min(...waits) + 1) / Math.max(longest, 1))
}

/** The tries of all series: at least one, if there is a series. */
export const triesOf = (all: readonly Series[]): Series['tries'] =>
  all.flatMap(({ tries }) => tries) as unknown as Series['tries']

export const inMs = (waits: readonly number[]): string => waits.map((wait) => `${Math.round(wait)} ms`).join(', ')
