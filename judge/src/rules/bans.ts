import type { Exchange, History } from '../history/exchange.ts'
import { mayBeLifted, sentWhileLimited } from '../history/limits.ts'
import { byClient, codeOf, isLimited, namesOf } from '../history/read.ts'
import type { Profile } from '../profile/profile.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'

export const bans: Rule = {
  id: 'bans',
  level: 'must',
  title: 'Stops before it is banned',
  advice: ({ limits }) =>
    `Send nothing after ${namesOf(limits)} until its Retry-After has passed: a client that goes on is banned.`,
  needs: ['limits', 'bans'],
  check: (history, profile) => byClient(history.exchanges).flatMap((own) => judgeClient(own, history, profile)),
}

function judgeClient(exchanges: readonly Exchange[], history: History, profile: Profile): Occasion[] {
  const limited = exchanges.filter((exchange) => isLimited(exchange, profile))
  // A ban that a fault simulates is not the client's doing, and the requests of one ban are one violation.
  const banned = limited.filter((exchange) => isBan(exchange, profile) && exchange.fault === undefined)
  const [first] = banned
  if (!first) return limited.map(kept)
  const before = exchanges.slice(0, exchanges.indexOf(first) + 1)
  // Without such a request, all may have been sent before the client knew of a limit.
  const [wentOn] = sentWhileLimited(before, profile).filter((pair) => !mayBeLifted(pair, history, profile))
  if (!wentOn) return []
  const [rejection, next] = wentOn
  const count = `${banned.length} of its requests ${banned.length === 1 ? 'was' : 'were'}`
  const explanation = `Request ${rejection.id} got ${rejection.status}, and the client went on before its Retry-After had passed, as with request ${next.id}: it was banned, and ${count} rejected for that.`
  return [broken(banned as [Exchange, ...Exchange[]], explanation)]
}

function isBan(exchange: Exchange, profile: Profile): boolean {
  const { codes = [], windowsHeader } = profile.bans ?? {}
  if (exchange.method !== 'HEAD') return codes.includes(codeOf(exchange, profile) ?? '')
  const { [windowsHeader ?? '']: windows, 'retry-after': seconds } = exchange.responseHeaders
  return windows !== undefined && ![...windows.matchAll(/;t=(\d+)/g)].some(([, end]) => end === seconds)
}
