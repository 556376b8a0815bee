import type { Exchange } from '../history/exchange.ts'
import {
  callOf,
  inWords,
  isAskedFor,
  isComplete,
  isLimited,
  isLost,
  isOneOf,
  isRead,
  isSuccess,
  isSurelyAfter,
  nameOf,
  responseOf,
  waitedMs,
  waitsBetween,
} from '../history/read.ts'
import type { Profile } from '../profile/profile.ts'
import { isPace } from './pace.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'

/** A 401 may be tried again with another credential, which is not recorded; another rule judges 412. */
const otherStatuses = new Set([401, 412])
/** With a different value of one of these, the same request may get another response. */
const decidingHeaders = ['accept', 'content-encoding', 'content-type', 'if-none-match', 'last-event-id', 'prefer']
/** This many in a row are no coincidence: a few may come from several callers, or from one that waits for something to appear. */
const runsMin = [
  { count: 4, withinMs: 10_000 },
  { count: 10, withinMs: 60_000 },
]
/** Changes by others may end these. A client that asks at a steady pace may wait for that, so only the last number counts. */
const passingStatuses = new Set([404, 409])

export const rejections: Rule = {
  id: 'rejections',
  level: 'should',
  title: 'Does not repeat what was rejected for good',
  advice: () =>
    'Do not send a request again unchanged after a 4xx that does not pass with time: the response stays the same until the request or the data changes.',
  needs: ['errors'],
  check({ exchanges }, profile) {
    const rejected = new Set(exchanges.filter((exchange) => isRejected(exchange, profile)))
    if (rejected.size === 0) return []
    // A write without a response may have been done too.
    const writes = exchanges.filter((exchange) => !isRead(exchange) && (isSuccess(exchange) || isLost(exchange)))
    const isUnchanged = (from: Exchange, to: Exchange) =>
      !writes.some(({ arrivedMs }) => arrivedMs >= from.arrivedMs && arrivedMs <= to.arrivedMs)
    const isAgain = (next: Exchange, before: Exchange) =>
      isSurelyAfter(next, before) &&
      waitedMs(before, next) <= Math.max(...runsMin.map(({ withinMs }) => withinMs)) &&
      isUnchanged(before, next)
    const requests = Map.groupBy(exchanges, requestOf)
    return [...requests.values()]
      .flatMap((same) => runsOf(same, rejected, isAgain))
      .flatMap((run) => judgeRun(run, profile))
  },
}

type Run = [Exchange, ...Exchange[]]

/** What decides the response. */
const requestOf = (exchange: Exchange): string =>
  JSON.stringify([callOf(exchange), ...decidingHeaders.map((name) => exchange.headers[name])])

/** The rejections of a request that follow each other, without those that ended with success, which had a reason. */
function runsOf(
  same: readonly Exchange[],
  rejected: ReadonlySet<Exchange>,
  isAgain: (next: Exchange, before: Exchange) => boolean,
): Run[] {
  let runs: Run[] = []
  let run: Run | undefined
  for (const exchange of same) {
    const last = run?.at(-1)
    if (!rejected.has(exchange)) {
      // Whatever came in between, what the client waited for has come.
      if (isSuccess(exchange)) runs = runs.filter(({ length }) => length === 1)
      run = undefined
      // Where a body is cut, the rest may have been corrected.
    } else if (run && last && !exchange.bodyCut && isAgain(exchange, last)) run.push(exchange)
    else {
      run = [exchange]
      runs.push(run)
    }
  }
  return runs
}

function judgeRun(run: Run, profile: Profile): Occasion[] {
  if (run.length === 1) return [kept(run[0])]
  return callsIn(run, profile).flatMap((call) => judgeCall(call, profile))
}

function judgeCall(run: Run, profile: Profile): Occasion[] {
  const enough = isPolled(run) ? runsMin.slice(-1) : runsMin
  const isLong = enough.some(({ count, withinMs }) => longestWithin(run, withinMs) >= count)
  if (!isLong) return []
  const ids = inWords(run.map(({ id }) => id))
  return [broken(run, `Requests ${ids} are the same, and each got ${responseOf(run[0], profile)}.`)]
}

const canPass = (run: Run): boolean => passingStatuses.has(run[0].status ?? 0)

/** Under different names, the same request may come from several callers, if the response depends on when it comes. */
function callsIn(run: Run, profile: Profile): Run[] {
  const isNamed = run.every((exchange) => nameOf(exchange, profile) !== undefined)
  if (!isNamed || !canPass(run)) return [run]
  return [...Map.groupBy(run, (exchange) => nameOf(exchange, profile)).values()] as Run[]
}

const isPolled = (run: Run): boolean => canPass(run) && isPace(waitsBetween(run))

/** How many requests in a row came within this time after the one before. */
function longestWithin(run: Run, withinMs: number): number {
  let longest = 1
  let count = 1
  for (const [index, exchange] of run.entries()) {
    const before = run[index - 1]
    count = before && waitedMs(before, exchange) <= withinMs ? count + 1 : 1
    longest = Math.max(longest, count)
  }
  return longest
}

function isRejected(exchange: Exchange, profile: Profile): boolean {
  const { status } = exchange
  if (!isComplete(exchange) || status === null || status < 400 || status >= 500 || isAskedFor(exchange)) return false
  const { errors } = profile
  const isTemporary = [errors?.retry, errors?.mayRetry].some((responses) => isOneOf(exchange, responses, profile))
  return !isTemporary && !otherStatuses.has(status) && !isLimited(exchange, profile)
}
