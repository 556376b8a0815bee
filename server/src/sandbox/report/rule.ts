import type { RecordedDelivery } from '../recorded.ts'
import type { History } from './history.ts'

/** What broke a rule: the requests or deliveries to look at, by id, and what is wrong with them. */
export interface Violation {
  readonly requests: readonly number[]
  readonly deliveries?: readonly number[]
  readonly explanation: string
}

/** What a rule found. It judges nothing if it saw no occasion. */
export interface Finding {
  /** How many occasions the client had to keep or break the rule. */
  readonly seen: number
  readonly violations: readonly Violation[]
}

export interface Rule {
  readonly id: string
  readonly title: string
  readonly advice: string
  /** The guide that explains it. */
  readonly guide: string
  readonly check: (history: History, deliveries: readonly RecordedDelivery[]) => Finding
}
