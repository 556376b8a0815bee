import { askedMs, patienceOf, toleranceMs } from '../history/asked-wait.ts'
import type { Exchange, History } from '../history/exchange.ts'
import { type Early, isBehindLimit, mayBeLifted, sentWhileLimited } from '../history/limits.ts'
import {
  agoMs,
  byCall,
  byClient,
  isAfter,
  isLimited,
  isRead,
  isSentKnowing,
  isSurelyAfter,
  nameOf,
  namesOf,
  waitedMs,
} from '../history/read.ts'
import type { Profile } from '../profile/profile.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'

/** The same change so soon is a retry. Later, another caller may want the same. */
const retryWithinMs = 1_000

export const retryAfter: Rule = {
  id: 'retry-after',
  level: 'must',
  title: 'Waits as long as Retry-After says',
  advice: ({ limits }) =>
    `Wait as long as Retry-After says, in seconds or until a date, before you send the same request again${limits?.scope === 'client' ? `; after ${namesOf(limits)}, before you send anything` : ''}.`,
  needs: [],
  check(history, profile) {
    const { exchanges } = history
    if (!exchanges.some((exchange) => askedMs(exchange, profile) !== undefined)) return []
    return byClient(exchanges).flatMap((own) => judgeClient(own, history, profile))
  },
}

function judgeClient(exchanges: readonly Exchange[], history: History, profile: Profile): Occasion[] {
  const calls = byCall(exchanges).map((same) => pairTries(same, profile))
  const repeats = calls.flatMap(({ early }) => {
    // A limit stops a client that sends several requests at once while others are on their way.
    const known = early.filter(
      ([before, next]) => !isLimited(before, profile) || isSentKnowing(next, before, exchanges),
    )
    return known.length > 1 ? known : known.filter(([before, next]) => isNext(before, next, exchanges))
  })
  // A caller that still waits may send the request that shows it, after these have been judged for good.
  const due = repeats.filter(
    ([rejection, early]) =>
      !history.goesOn ||
      isLimited(rejection, profile) ||
      haveOneName(rejection, early, profile) ||
      agoMs(rejection, history) >= (askedMs(rejection, profile) ?? 0),
  )
  // Another caller may have sent the second of a pair of reads. Two pairs are no coincidence.
  const isCertain = due.length > 1 || due.some((pair) => isOneCall(pair, profile))
  const found = [...(isCertain ? due : []), ...sentWhileLimited(exchanges, profile)]
  const early = firstPerRequest(found.filter((pair) => !mayBeLifted(pair, history, profile)))
  const suspected = new Set([...calls.flatMap((call) => call.early), ...early].map(([rejection]) => rejection))
  const patient = new Set(calls.flatMap((call) => call.patient))
  for (const limited of exchanges.filter((exchange) => isLimited(exchange, profile))) {
    // If any request waited long enough, the last one did.
    const last = exchanges.findLast((next) => isBehindLimit(next, limited, profile))
    if (last && isPatient(last, limited, profile)) patient.add(limited)
  }
  return [...[...patient].filter((rejection) => !suspected.has(rejection)).map(kept), ...early.map(tooEarly)]
}

const isPatient = (next: Exchange, rejection: Exchange, profile: Profile): boolean =>
  askedMs(rejection, profile) !== undefined &&
  isAfter(next, rejection) &&
  patienceOf(rejection, next, profile) === 'patient'

interface Tries {
  /** The rejections that were followed by a request that waited. */
  readonly patient: readonly Exchange[]
  /** Those that were not, with the next request. */
  readonly early: readonly Early[]
}

/**
 * Concurrent callers may send the same, so each request counts as the repeat of a rejection that it waited for, if there is one. If some
 * waited for none, nothing is known about those that did.
 */
function pairTries(same: readonly Exchange[], profile: Profile): Tries {
  const waiting = new Set<Exchange>()
  const patient: Exchange[] = []
  const hasty: Early[] = []
  let shortestMs = Number.POSITIVE_INFINITY
  for (const [index, next] of same.entries()) {
    const repeated = findRepeated(waiting, next, shortestMs, profile)
    if (repeated) {
      waiting.delete(repeated)
      patient.push(repeated)
    } else if (waiting.size > 0) {
      const last = same.findLast((exchange, at) => at < index && isAfter(next, exchange))
      if (last && waiting.has(last) && isSurelyAfter(next, last) && patienceOf(last, next, profile) === 'early')
        hasty.push([last, next])
    }
    const asked = askedMs(next, profile)
    if (asked === undefined) continue
    waiting.add(next)
    shortestMs = Math.min(shortestMs, asked)
  }
  return { patient: hasty.length > 0 ? [] : patient, early: hasty.filter(([rejection]) => waiting.has(rejection)) }
}

/** The rejection that this request waited for, from the oldest on: when the wait is shorter than any asked for, there is none. */
function findRepeated(waiting: ReadonlySet<Exchange>, next: Exchange, shortestMs: number, profile: Profile) {
  for (const rejection of waiting) {
    if (isPatient(next, rejection, profile)) return rejection
    if (waitedMs(rejection, next) < shortestMs - toleranceMs) return undefined
  }
  return undefined
}

/** Whether nothing else of the client arrived between two requests. */
const isNext = (before: Exchange, next: Exchange, exchanges: readonly Exchange[]): boolean =>
  exchanges[exchanges.indexOf(before) + 1] === next

function haveOneName(one: Exchange, other: Exchange, profile: Profile): boolean {
  const name = nameOf(one, profile)
  return name !== undefined && name === nameOf(other, profile)
}

/** Whether both requests certainly are tries of one call: they have the same name, or are the same change within a moment. */
function isOneCall([rejection, early]: Early, profile: Profile): boolean {
  if (haveOneName(rejection, early, profile)) return true
  return !isRead(early) && waitedMs(rejection, early) < retryWithinMs
}

const seconds = (ms: number): string => `${Math.max(0, ms / 1000).toFixed(1)} s`

const tooEarly = ([rejection, early]: Early): Occasion =>
  broken(
    [rejection, early],
    `Request ${rejection.id} got ${rejection.status} with Retry-After: ${rejection.responseHeaders['retry-after']}; request ${early.id} came after ${seconds(waitedMs(rejection, early))}.`,
  )

/** One for each request that came too early, in their order. */
const firstPerRequest = (all: readonly Early[]): Early[] =>
  [...Map.groupBy(all, ([, { id }]) => id)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, [first]]) => (first ? [first] : []))
