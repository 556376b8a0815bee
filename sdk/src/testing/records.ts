import type { ErrorCode } from '../names.ts'

/**
 * What the client received: the whole response; one that a fault cut; nothing or only a part, because the client closed the connection
 * first, as it does with a stream; or it is still open.
 */
export type Received = 'complete' | 'cut' | 'abandoned' | 'open'

/** A request that the sandbox received, with its response. Secrets are cut. */
export interface RecordedRequest {
  readonly id: number
  /** When it arrived, by the sandbox's clock. */
  readonly at: string
  /** When it arrived, by the host's clock. */
  readonly receivedAt: string
  /** From its arrival to its end, as `received` says. Null while it is open. */
  readonly durationMs: number | null
  /** When it ended, by the sandbox's clock. */
  readonly endedAt?: string
  readonly method: string
  /** Path and query, below the address of the sandbox. */
  readonly target: string
  readonly operationId?: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly bodyCut?: boolean
  readonly keyId?: number
  /** The client's port: requests with the same one came on one connection. */
  readonly connection?: number
  readonly received: Received
  /** Null if the client received not even the head of a response. */
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody?: string
  /** The fault that was simulated. */
  readonly fault?: string
  readonly streamLastEventId?: string
  readonly streamEventIds?: readonly string[]
}

/** What broke a rule: ids of requests or deliveries, and why. */
export interface Violation {
  readonly requests: readonly number[]
  readonly deliveries?: readonly number[]
  readonly explanation: string
}

export interface RuleResult {
  readonly rule: string
  /** A client that breaks a `must` is wrong; a `should` makes it better. */
  readonly level: 'must' | 'should' | 'information'
  readonly title: string
  /** `not_seen`: the situation never came up. */
  readonly verdict: 'passed' | 'failed' | 'not_seen' | 'not_applicable'
  readonly seen: number
  readonly violations: readonly Violation[]
  readonly violationCount: number
  readonly advice: string
  /** The address of the guide. */
  readonly guide?: string
}

/** How the client behaved. */
export interface Report {
  /** The ids of the rules that failed, *must* before *should*. */
  readonly failed: readonly string[]
  readonly requests: {
    /** All that were judged. */
    readonly seen: number
    /** Those that `requests` returns. */
    readonly shown: number
    /** Those without a response yet, which may change the verdicts. */
    readonly open: number
    /** Those that failed a moment ago: whether the client sends them again is not known yet. */
    readonly undecided: number
  }
  readonly rules: readonly RuleResult[]
}

/** The state of a sandbox at some time. */
export interface Snapshot {
  readonly id: number
  /** By the host's clock. */
  readonly createdAt: string
  /** By the sandbox's clock. */
  readonly at: string
}

export interface Clock {
  readonly at: string
  readonly frozen: boolean
}

/**
 * An error code, or: `cut`, no response, nothing done; `cut_after`, done, but the response is lost; `cut_body`, done, and the response
 * ends in the middle; `slow`, done at once, with a late response; `slow_before`, done late.
 */
export type FaultKind = ErrorCode | 'cut' | 'cut_after' | 'cut_body' | 'slow' | 'slow_before'

export interface FaultTarget {
  /** The id of an operation, such as `placeOrder`. Every operation unless given. */
  readonly operation?: string | undefined
  readonly method?: string | undefined
  readonly path?: string | undefined
  /** Headers that the request has, with their values. */
  readonly header?: Readonly<Record<string, string>> | undefined
  /** Fields of its JSON body, by name or JSON pointer, with their values. */
  readonly body?: Readonly<Record<string, string | number | boolean | null>> | undefined
}

export interface FaultOptions {
  /** Only this attempt of a call: the same operation, key, path, query and body. `nth: 1` makes every call fail once. */
  readonly nth?: number | undefined
  /** How often it happens; then no more. */
  readonly times?: number | undefined
  /** The share of requests, between 0 and 1. */
  readonly rate?: number | undefined
  /** How late the response comes. */
  readonly latencyMs?: number | undefined
  /** What `Retry-After` says; only with an error code. */
  readonly retryAfterSeconds?: number | undefined
  /** Whether `Retry-After` is a date. */
  readonly retryAfterDate?: boolean | undefined
}

export interface Fault extends FaultTarget, FaultOptions {
  readonly fault: FaultKind
}
