import type { ErrorCode } from '../names.ts'

/** A request that the sandbox received, with its response. Secrets are cut. */
export interface RecordedRequest {
  readonly id: number
  /** When it arrived, by the sandbox's clock. */
  readonly at: string
  /** When it arrived, by the host's clock. */
  readonly receivedAt: string
  /** Null while a stream is open. */
  readonly durationMs: number | null
  readonly method: string
  /** Path and query, below the address of the sandbox. */
  readonly target: string
  readonly operationId?: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly bodyCut?: boolean
  readonly keyId?: number
  /** Null if the connection was cut instead of responded. */
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody?: string
  /** The fault that was simulated. */
  readonly fault?: string
  readonly streamLastEventId?: string
}

/** What broke a rule: ids of requests or deliveries, and why. */
export interface Violation {
  readonly requests: readonly number[]
  readonly deliveries?: readonly number[]
  readonly explanation: string
}

export interface RuleResult {
  readonly rule: string
  readonly title: string
  /** `not_seen`: there was no occasion to judge it, so it does not count. */
  readonly verdict: 'passed' | 'failed' | 'not_seen'
  readonly seen: number
  readonly violations: readonly Violation[]
  readonly violationCount: number
  readonly advice: string
  /** The address of the guide. */
  readonly guide: string
}

/** How the client behaved. */
export interface Report {
  /** The share of the judged rules that it kept, in percent; null if there was nothing to judge. */
  readonly score: number | null
  readonly requests: number
  readonly rules: readonly RuleResult[]
}

export interface Clock {
  readonly at: string
  readonly frozen: boolean
}

/** An error code; `cut`: no response, nothing done; `cut_after`: done, but the response is lost; `slow`: a late response. */
export type FaultKind = ErrorCode | 'cut' | 'cut_after' | 'slow'

export interface FaultTarget {
  /** The id of an operation, such as `placeOrder`. Every operation unless given. */
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
}

export interface FaultOptions {
  /** How often, then no more. */
  readonly times?: number | undefined
  /** The share of requests, between 0 and 1. */
  readonly rate?: number | undefined
  /** How late the response comes. */
  readonly latencyMs?: number | undefined
}

export interface Fault extends FaultTarget, FaultOptions {
  readonly fault: FaultKind
}
