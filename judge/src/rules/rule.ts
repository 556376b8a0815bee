import type { Delivery, Exchange, History } from '../history/exchange.ts'
import type { Profile } from '../profile/profile.ts'
import type { Level, Violation } from '../report.ts'

/** An occasion to keep or break a rule. */
export interface Occasion {
  /** Where it began: an exchange, or a delivery. */
  readonly at: Pick<Exchange, 'id'> | Pick<Delivery, 'id' | 'webhook'>
  /** What broke the rule; without it, the rule was kept. */
  readonly violation?: Violation
  /** Whether the client still has time to keep the rule, so that nothing is known yet. */
  readonly isUndecided?: true
}

export interface Rule {
  readonly id: string
  readonly level: Level
  readonly title: string
  readonly advice: (profile: Profile) => string
  /** What the profile must have; otherwise the rule does not apply. */
  readonly needs: readonly (keyof Profile)[]
  readonly check: (history: History, profile: Profile) => readonly Occasion[]
}

/** A client that sends nothing again for this long has given up. */
export const backOffMs = 5_000

export const kept = (at: Occasion['at']): Occasion => ({ at })

export const undecided = (at: Occasion['at']): Occasion => ({ at, isUndecided: true })

/** The exchanges that broke a rule, the first one first. */
export function broken(exchanges: readonly [Exchange, ...Exchange[]], explanation: string): Occasion {
  return { at: exchanges[0], violation: { requests: exchanges.map(({ id }) => id), explanation } }
}
