import type { History } from './history/exchange.ts'
import type { Profile } from './profile/profile.ts'
import type { Violation } from './report.ts'
import { applies, rules } from './rules/all.ts'
import type { Occasion } from './rules/rule.ts'

/** What a rule found in a part of the history that is gone. */
export interface KeptResult {
  readonly seen: number
  /** The first ones; `violationCount` counts all. */
  readonly violations: readonly Violation[]
  readonly violationCount: number
}

/** What was found in the parts of a history that are gone, by rule. Plain data, so that a file can hold it. */
export type Kept = Readonly<Record<string, KeptResult>>

const violationsMax = 20
/** How many requests a violation names. */
const requestsNamedMax = 50

export const nothingKept: KeptResult = { seen: 0, violations: [], violationCount: 0 }

/** Adds occasions to what was found before. */
export function add({ seen, violations, violationCount }: KeptResult, all: readonly Occasion[]): KeptResult {
  const occasions = all.filter(({ isUndecided }) => !isUndecided)
  const found = occasions.flatMap(({ violation }) => violation ?? [])
  const named = found.slice(0, violationsMax).map(({ requests, ...rest }) => ({
    ...rest,
    requests: requests.slice(0, requestsNamedMax),
  }))
  return {
    seen: seen + occasions.length,
    violations: [...violations, ...named].slice(0, violationsMax),
    violationCount: violationCount + found.length,
  }
}

/** Puts together what was found in two histories. */
export const merge = (one: Kept, other: Kept): Kept =>
  Object.fromEntries(
    Object.keys({ ...one, ...other }).map((id): [string, KeptResult] => {
      const [a, b] = [one[id] ?? nothingKept, other[id] ?? nothingKept]
      const violations = [...a.violations, ...b.violations].slice(0, violationsMax)
      return [id, { seen: a.seen + b.seen, violations, violationCount: a.violationCount + b.violationCount }]
    }),
  )

/** Judges a history, part of which is about to be dropped, and keeps what began in that part. */
export function keep(kept: Kept, history: History, profile: Profile, isGone: (at: Occasion['at']) => boolean): Kept {
  const results = rules
    .filter((rule) => applies(rule, profile))
    .map(({ id, check }): [string, KeptResult] => {
      const gone = check(history, profile).filter(({ at }) => isGone(at))
      return [id, add(kept[id] ?? nothingKept, gone)]
    })
  return Object.fromEntries(results.filter(([, { seen }]) => seen > 0))
}
