import { askedMs, toleranceMs } from '../history/asked-wait.ts'
import { contentsOf } from '../history/content.ts'
import type { Exchange, History } from '../history/exchange.ts'
import {
  agoMs,
  aToken,
  hasFailed,
  inWords,
  isAfter,
  isAskedFor,
  isBelow,
  isLost,
  isOneOf,
  isRead,
  isSuccess,
  nameOf,
  pathOf,
  responseOf,
  titleOf,
  tokenName,
  waitedMs,
} from '../history/read.ts'
import type { Profile } from '../profile/profile.ts'
import { backOffMs, broken, kept, type Occasion, type Rule, undecided } from './rule.ts'

/** After this time, the same change is a new one; under another name sooner, because another caller may want the same. */
const repeatWithinMs = 120_000
const renamedWithinMs = 10_000

export const repeats: Rule = {
  id: 'repeats',
  level: 'must',
  title: 'Leaves no doubt whether a change was made, and makes it once',
  advice: (profile) =>
    tokenName(profile) === undefined
      ? 'Do not send a change again if it may have been made: look first. The API has no token that makes it safe.'
      : `Send ${aToken(profile)} with every ${profile.repeats?.methods.join(' and ')}: choose it before the first try, and send it and the same body with every retry.`,
  needs: ['repeats'],
  check(history, profile) {
    const { methods = [], operations } = profile.repeats ?? {}
    const changes = history.exchanges.filter(
      (exchange) =>
        methods.includes(exchange.method) &&
        (operations?.includes(exchange.operation ?? '') ?? true) &&
        !isAskedFor(exchange),
    )
    if (!changes.some((exchange) => isLost(exchange) || (exchange.status ?? 0) >= 400)) return []
    return findCalls(changes, profile)
      .flatMap((call) => splitAtReads(call, history, profile))
      .flatMap((tries) => judgeTries(tries, history, profile))
  },
}

/** All tries of one change, in the order they came. */
type Tries = [Exchange, ...Exchange[]]

/** Tries under one name are one call. So are those without one, and those under another name that follow a failed try. */
function findCalls(changes: readonly Exchange[], profile: Profile): Tries[] {
  const contentOf = contentsOf(changes)
  const same = (exchange: Exchange) =>
    JSON.stringify([exchange.client, pathOf(exchange), exchange.operation, contentOf(exchange)])
  const named = Map.groupBy(
    changes,
    (exchange) => `${exchange.client} ${pathOf(exchange)} ${nameOf(exchange, profile) ?? exchange.id}`,
  )
  return [...Map.groupBy([...named.values()] as Tries[], ([first]) => same(first)).values()].flatMap((groups) => {
    const isWanted = isWantedOften(groups, profile)
    const calls: Tries[] = []
    // A call that was repeated under its name continues under that name.
    const open: Tries[] = []
    for (const group of groups) {
      const before = open.find((call) => isFollowedBy(call, group[0], profile, isWanted))
      if (before) before.push(...group)
      else calls.push([...group])
      const call = before ?? (calls.at(-1) as Tries)
      if (before && group.length > 1) open.splice(open.indexOf(before), 1)
      else if (!before && group.length === 1) open.push(call)
    }
    return calls
  })
}

/** Whether the client makes the same change under another name before a try has failed: it wants that change more than once. */
const isWantedOften = (groups: readonly Tries[], profile: Profile): boolean =>
  groups.some(([next], index) => {
    const last = groups[index - 1]?.at(-1)
    if (!last || nameOf(last, profile) === undefined || nameOf(next, profile) === undefined) return false
    return !isAfter(next, last) || (isSuccess(last) && waitedMs(last, next) <= renamedWithinMs)
  })

/** Whether a call that failed for the client continues with this exchange. `isWanted`: another name means another change. */
function isFollowedBy(call: Tries, next: Exchange, profile: Profile, isWanted: boolean): boolean {
  const last = call.at(-1) ?? call[0]
  const isNamed = [last, next].every((exchange) => nameOf(exchange, profile) !== undefined)
  if (isNamed && isWanted) return false
  const withinMs = isNamed ? renamedWithinMs : repeatWithinMs
  const waited = waitedMs(last, next)
  // Soon after the response, or after the wait that it asked for.
  const isSoon = [0, askedMs(last, profile) ?? 0].some(
    (fromMs) => waited >= fromMs - toleranceMs && waited <= fromMs + withinMs,
  )
  return isAfter(next, last) && isSoon && (isUnknown(last, profile) || isOneOf(last, profile.errors?.retry, profile))
}

/** Whether the client cannot know if the change was made. */
const isUnknown = (exchange: Exchange, profile: Profile): boolean =>
  hasFailed(exchange) && !isOneOf(exchange, profile.repeats?.nothingDone, profile)

/** A client that reads whether a try was done knows the outcome: what it sends then is a new call. */
function splitAtReads([first, ...others]: Tries, history: History, profile: Profile): Tries[] {
  const parts: Tries[] = [[first]]
  let last = first
  for (const next of others) {
    if (isUnknown(last, profile) && hasRead(last, history, profile, next)) parts.push([next])
    else parts.at(-1)?.push(next)
    last = next
  }
  return parts
}

/** Whether the client read something that shows the change, after that try and before the next one. */
function hasRead(last: Exchange, { exchanges }: History, profile: Profile, next?: Exchange): boolean {
  const shownBy = profile.repeats?.shownBy ?? []
  return exchanges.some(
    (read) =>
      read.client === last.client &&
      isAfter(read, last) &&
      (!next || isAfter(next, read)) &&
      (isSuccess(read) || read.status === 404) &&
      (shownBy.includes(read.operation ?? '') || (isRead(read) && isNear(pathOf(read), pathOf(last)))),
  )
}

/** Whether a read is of what a change belongs to, of something below that, or of the list that contains it. */
function isNear(read: string, change: string): boolean {
  const parent = change.slice(0, change.lastIndexOf('/')) || change
  return isBelow(read, parent) || (read !== '/' && isBelow(parent, read))
}

function judgeTries(tries: Tries, history: History, profile: Profile): Occasion[] {
  const { reused } = profile.repeats ?? {}
  const other = tries.find(
    (exchange) => isOneOf(exchange, reused, profile) && exchange.fault === undefined && !isAskedFor(exchange),
  )
  if (other) {
    const explanation = `Request ${other.id} used the ${tokenName(profile)} of an earlier ${other.method} that was not the same.`
    return [broken([other], explanation)]
  }
  const failed =
    tries.find((exchange) => isUnknown(exchange, profile)) ?? tries.find((exchange) => mayPass(exchange, profile))
  if (!failed) return []
  const again = tries.slice(tries.indexOf(failed) + 1)
  const name = nameOf(failed, profile)
  const isKept = name !== undefined && again.length > 0 && again.every((next) => nameOf(next, profile) === name)
  if (!isUnknown(failed, profile)) return isKept ? [kept(tries[0])] : []
  if (again.length === 0) return judgeGivingUp(failed, history, profile)
  const changed = again.find((next) => nameOf(next, profile) === name && hasOtherBody(failed, next))
  const got = `Request ${failed.id}, ${titleOf(failed)}, got ${responseOf(failed, profile)}`
  if (isKept && changed) {
    const explanation = `${got}, and request ${changed.id} sent its ${tokenName(profile)} with another body.`
    return [broken([failed, changed], explanation)]
  }
  if (isKept) return [kept(tries[0])]
  const ids = again.map(({ id }) => id)
  const sent = `request${ids.length === 1 ? '' : 's'} ${inWords(ids)} sent it again${howNamed(failed, again, profile)}`
  return [broken(tries, `${got}, and ${sent}: it may be done more than once.`)]
}

/** Whether the same request may be sent again after this response. */
const mayPass = (exchange: Exchange, profile: Profile): boolean =>
  [profile.errors?.retry, profile.errors?.mayRetry].some((responses) => isOneOf(exchange, responses, profile))

/** Of a body that is cut, only the beginning can differ. */
function hasOtherBody({ body = '' }: Exchange, next: Exchange): boolean {
  const other = next.body ?? ''
  const known = next.bodyCut ? Math.min(body.length, other.length) : Number.POSITIVE_INFINITY
  return body.slice(0, known) !== other.slice(0, known)
}

function howNamed(failed: Exchange, again: readonly Exchange[], profile: Profile): string {
  if (tokenName(profile) === undefined) return ''
  if (again.some((next) => nameOf(next, profile) === undefined)) return ` without ${aToken(profile)}`
  if (nameOf(failed, profile) === undefined) return ` with ${aToken(profile)} that it did not have before`
  return ` under another ${tokenName(profile)}${again.length > 1 ? ' each time' : ''}`
}

function judgeGivingUp(failed: Exchange, history: History, profile: Profile): Occasion[] {
  const { outcomeUnknown } = profile.repeats ?? {}
  // A status that arrived says that it was done, whatever happened to the body.
  const isClear = isLost(failed) ? (failed.status ?? 500) < 400 : !isOneOf(failed, outcomeUnknown, profile)
  if (isClear || isAskedFor(failed)) return []
  // A client that looks does well. That one gives up is no fault in itself: whoever called it may look.
  if (!profile.repeats?.mustBeSettled) return hasRead(failed, history, profile) ? [kept(failed)] : []
  // With a name, the client can still send it again.
  if (nameOf(failed, profile) !== undefined || hasRead(failed, history, profile)) return []
  if (agoMs(failed, history) < backOffMs) return [undecided(failed)]
  const explanation = `Request ${failed.id}, ${titleOf(failed)}, got ${responseOf(failed, profile)} and was not sent again: the client cannot know whether it was done. With ${aToken(profile)} it could send it again safely.`
  return [broken([failed], explanation)]
}
