/** How much a rule matters: without a *must* a client is wrong; a *should* makes it better; *information* is worth knowing. */
export type Level = 'must' | 'should' | 'information'

/** `not_seen`: the situation never came up. `not_applicable`: the profile does not say how the API signals it. */
export type Verdict = 'passed' | 'failed' | 'not_seen' | 'not_applicable'

/** What broke a rule: the requests or deliveries to look at, by id, and what is wrong with them. */
export interface Violation {
  readonly requests: readonly number[]
  readonly deliveries?: readonly number[]
  readonly explanation: string
}

export interface RuleResult {
  readonly rule: string
  readonly level: Level
  readonly title: string
  readonly verdict: Verdict
  /** How many occasions there were to keep or break it. */
  readonly seen: number
  /** The first ones; `violationCount` counts all. */
  readonly violations: readonly Violation[]
  readonly violationCount: number
  /** Empty if the rule does not apply. */
  readonly advice: string
  /** The address of the guide. */
  readonly guide?: string
}

/** How a client behaved. */
export interface Report {
  /** The ids of the rules that failed, *must* before *should*. */
  readonly failed: readonly string[]
  readonly requests: {
    /** All that were judged. */
    readonly seen: number
    /** Those that can still be looked at. */
    readonly shown: number
    /** Those without a response yet, which may change the verdicts. */
    readonly open: number
    /** Those that failed a moment ago: whether the client sends them again is not known yet. */
    readonly undecided: number
  }
  readonly rules: readonly RuleResult[]
}
