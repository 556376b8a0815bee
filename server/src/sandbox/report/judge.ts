import type { Operation } from '../../platform/api/operation.ts'
import type { RecordedDelivery, RecordedRequest } from '../recorded.ts'
import { backsOffWithJitter } from './back-off.ts'
import { staysOutOfBans } from './bans.ts'
import { editsConditionally } from './conditional-edits.ts'
import { leavesDeprecated } from './deprecation.ts'
import { readHistory } from './history.ts'
import { keepsKeysOutOfAddresses } from './keys-in-addresses.ts'
import { followsLinks } from './links.ts'
import { repeatsPostsSafely } from './repeated-posts.ts'
import { retriesWhatCanPass } from './retried-statuses.ts'
import { waitsForRetryAfter } from './retry-after.ts'
import type { Rule, Violation } from './rule.ts'
import { resumesStreams } from './streams.ts'
import { acknowledgesWebhooks, rejectsForgedWebhooks } from './webhooks.ts'

/** All rules, in the order of the report. */
export const rules: readonly Rule[] = [
  waitsForRetryAfter,
  backsOffWithJitter,
  repeatsPostsSafely,
  staysOutOfBans,
  retriesWhatCanPass,
  followsLinks,
  editsConditionally,
  leavesDeprecated,
  resumesStreams,
  acknowledgesWebhooks,
  rejectsForgedWebhooks,
  keepsKeysOutOfAddresses,
]

export type Verdict = 'passed' | 'failed' | 'not_seen'

export interface RuleResult {
  readonly rule: string
  readonly title: string
  readonly verdict: Verdict
  /** How many occasions there were to keep or break it. */
  readonly seen: number
  /** The first ones; `violationCount` counts all. */
  readonly violations: readonly Violation[]
  readonly violationCount: number
  readonly advice: string
  /** The address of the guide. */
  readonly guide: string
}

export interface Report {
  /** The share of the judged rules that the client kept, in percent, rounded down; null if there was nothing to judge. */
  readonly score: number | null
  readonly requests: number
  readonly rules: readonly RuleResult[]
}

interface Records {
  /** Newest first. */
  readonly requests: readonly RecordedRequest[]
  readonly deliveries: readonly RecordedDelivery[]
}

const violationsMax = 20

/** Judges how a client behaved, from what it sent and how it responded webhooks. */
export function judge({ requests, deliveries }: Records, operations: readonly Operation[], baseUrl: string): Report {
  const history = readHistory(requests, operations)
  const results = rules.map(({ id, title, advice, guide, check }): RuleResult => {
    const { seen, violations } = check(history, deliveries)
    return {
      rule: id,
      title,
      verdict: verdictOf(seen, violations.length),
      seen,
      violations: violations.slice(0, violationsMax),
      violationCount: violations.length,
      advice,
      guide: `${baseUrl}/docs/guides/${guide}`,
    }
  })
  const passed = results.filter(({ verdict }) => verdict === 'passed').length
  const judged = results.filter(({ verdict }) => verdict !== 'not_seen').length
  return { score: judged === 0 ? null : Math.floor((100 * passed) / judged), requests: requests.length, rules: results }
}

function verdictOf(seen: number, violations: number): Verdict {
  if (violations > 0) return 'failed'
  return seen > 0 ? 'passed' : 'not_seen'
}
