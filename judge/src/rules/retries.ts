import { askedMs } from '../history/asked-wait.ts'
import { contentsOf } from '../history/content.ts'
import type { Exchange, History } from '../history/exchange.ts'
import {
  agoMs,
  aToken,
  callOf,
  hasFailed,
  isAfter,
  isAskedFor,
  isOneOf,
  isRead,
  nameOf,
  namesOf,
  pathOf,
  responseOf,
  successorOf,
  tokenName,
  waitsBetween,
} from '../history/read.ts'
import type { Profile } from '../profile/profile.ts'
import { isPace } from './pace.ts'
import { backOffMs, broken, kept, type Occasion, type Rule, undecided } from './rule.ts'

/** A client may give up rather than wait longer. */
const worthWaitingMs = 60_000
/** This many reads show a pace. */
const readsMin = 4

export const retries: Rule = {
  id: 'retries',
  level: 'should',
  title: 'Sends again what passes with time',
  advice: (profile) =>
    `Send the same request again after ${namesOf(profile.errors?.retry)}.${tokenName(profile) === undefined ? '' : ` With ${aToken(profile)}, that is safe for ${profile.repeats?.methods.join(' and ')} too.`} After ${namesOf(profile.errors?.mayRetry)}, or without a response, you may.`,
  needs: ['errors'],
  check(history, profile) {
    const { exchanges } = history
    const passing = exchanges.filter(
      (exchange) => isOneOf(exchange, profile.errors?.retry, profile) && !isAskedFor(exchange),
    )
    if (passing.length === 0) return []
    const contentOf = contentsOf(exchanges)
    const nameCall = (exchange: Exchange) => callOf({ ...exchange, body: contentOf(exchange) })
    const calls = Map.groupBy(exchanges, nameCall)
    return passing.flatMap((exchange) => judgeFailure(exchange, calls.get(nameCall(exchange)) ?? [], history, profile))
  },
}

function judgeFailure(failed: Exchange, same: readonly Exchange[], history: History, profile: Profile): Occasion[] {
  if (same.some((other) => isAfter(other, failed))) return [kept(failed)]
  const later = history.exchanges.filter((other) => other.client === failed.client && isAfter(other, failed))
  // The same call, though its body may have been rewritten.
  const name = nameOf(failed, profile)
  if (name !== undefined && later.some((other) => nameOf(other, profile) === name && pathOf(other) === pathOf(failed)))
    return [kept(failed)]
  const successor = successorOf(failed)
  if (successor && later.some((other) => successor.endsWith(pathOf(other)))) return [kept(failed)]
  // It may be another version of an edit, or the list from its first page; two POSTs to one path are separate calls.
  const isNamedByPath = !profile.repeats?.methods.includes(failed.method)
  if (isNamedByPath && later.some((other) => other.method === failed.method && pathOf(other) === pathOf(failed)))
    return []
  // The last of several tries may be one too many for the client.
  const isLastOfSeveral = same.some((other) => hasFailed(other) && isAfter(failed, other))
  const waitMs = askedMs(failed, profile) ?? 0
  if (isLastOfSeveral || isPolled(failed, same) || waitMs > worthWaitingMs) return []
  if (agoMs(failed, history) < waitMs + backOffMs) return [undecided(failed)]
  return [broken([failed], `Request ${failed.id}${explainGivingUp(failed, profile)}`)]
}

/** Whether the client read it at a steady pace until then, and stopped before the next read. */
function isPolled(failed: Exchange, same: readonly Exchange[]): boolean {
  const reads = same.filter((other) => other === failed || isAfter(failed, other))
  return isRead(failed) && reads.length >= readsMin && isPace(waitsBetween(reads))
}

function explainGivingUp(exchange: Exchange, profile: Profile): string {
  const { repeats } = profile
  const got = ` got ${responseOf(exchange, profile)}`
  const isUnnamed = repeats?.methods.includes(exchange.method) && nameOf(exchange, profile) === undefined
  if (!isUnnamed || tokenName(profile) === undefined) return `${got} and was not sent again.`
  return `, a ${exchange.method} without ${aToken(profile)},${got} and was not sent again: with ${aToken(profile)} that is safe.`
}
