import type { History } from './history/exchange.ts'
import { add, type Kept, nothingKept } from './kept.ts'
import type { Profile } from './profile/profile.ts'
import type { Report, RuleResult, Verdict } from './report.ts'
import { applies, rules } from './rules/all.ts'

/** The verdicts on a history. */
export interface Judgement extends Pick<Report, 'failed' | 'rules'> {
  /** The requests that the client still has time to send again. */
  readonly undecided: number
}

/** Judges a history by every rule. `kept` is what was found in the part of it that is gone. */
export function judge(history: History, profile: Profile, kept: Kept = {}): Judgement {
  const undecided = new Set<number>()
  const results = rules.map((rule): RuleResult => {
    const { id, level, title, advice, check } = rule
    const isApplicable = applies(rule, profile)
    const occasions = isApplicable ? check(history, profile) : []
    for (const { at, isUndecided } of occasions) if (isUndecided) undecided.add(at.id)
    const found = add(kept[id] ?? nothingKept, occasions)
    const guide = profile.guides?.[id]
    return {
      rule: id,
      level,
      title,
      verdict: isApplicable ? verdictOf(found.seen, found.violationCount) : 'not_applicable',
      ...found,
      advice: isApplicable ? advice(profile) : '',
      ...(guide !== undefined && { guide }),
    }
  })
  const failed = results.filter(({ verdict }) => verdict === 'failed').map(({ rule }) => rule)
  return { failed, rules: results, undecided: undecided.size }
}

function verdictOf(seen: number, violations: number): Verdict {
  if (violations > 0) return 'failed'
  return seen > 0 ? 'passed' : 'not_seen'
}
