import type { AdmittedCaller, Operation } from '../api/operation.ts'
import type { Queryable } from '../db/database.ts'
import type { KnownKey } from '../keys/directory.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Limits } from '../lib/limits.ts'
import type { Used } from '../limits/windows.ts'

// How an adapter (HTTP or another) talks to the gate: in plain values.

export interface Gate {
  /** Identifies the caller and counts the call. */
  enter(call: IncomingCall): Awaitable<Admission | PendingAdmission>
  /**
   * For a call whose body says what it is counted as: identifies the caller before the body is read. Returns the refusal of a caller
   * without a valid key, or of one that has sent more in this minute than its limits could ever admit.
   */
  refuseUnread(call: IncomingCall): Awaitable<Admission | undefined>
  /** Refuses a call, from any caller, without counting it. */
  refuse(call: IncomingCall, refusal: Error): Promise<Admission>
  /** The windows of a call that is not counted, as far as this node knows. */
  readWindows(call: IncomingCall): Promise<Windows>
  /**
   * The caller at the time the work starts, since the body may have taken long to arrive. Throws if the key may no longer do this.
   * Call it first in the transaction of a write, and before a read that waited for the gate. Runs no query while the key is cached.
   */
  confirmCaller(db: Queryable, admission: Admission, operation: RequiredScope, now: number): Awaitable<AdmittedCaller>
  /**
   * Charges a call that turned out to count as several requests. Those beyond the first are admitted together, or the call is refused;
   * requests admitted earlier stay counted.
   */
  charge(admission: Admission, requests: number, now: number): Promise<Admission>
  /** Records the status of the answer. Called once per call. */
  finish(admission: Admission, status: number, now: number): void
}

/**
 * The counters have not answered yet. Work may start with the expected admission meanwhile, but it may be answered, and its changes
 * kept, only after the decision admits the call.
 */
export interface PendingAdmission {
  /** Undefined where this node cannot tell that there is room: wait for the decision. */
  readonly expected: Admission | undefined
  readonly decision: Promise<Admission>
}

type RequiredScope = Pick<Operation, 'scope' | 'orScope' | 'method'>

export interface IncomingCall {
  /** The headers `X-API-Key` and `Authorization`, if sent. */
  readonly apiKey: string | undefined
  readonly authorization: string | undefined
  /** The address that meters a call without a valid key. A function, because most calls do not need it. */
  address(): string
  readonly now: number
  /** Undefined for a path that does not exist. */
  readonly operation: Pick<Operation, 'meter'> | undefined
}

/** What the rate-limit headers of every answer show (`platform/access/headers.ts`). */
export interface Windows {
  readonly used: Used
  readonly limits: Limits
  readonly now: number
  /** The end of the key's ban, if it is banned now. */
  readonly bannedUntil?: number | undefined
}

/** The gate's decision on one call. */
export interface Admission extends Windows {
  /** The caller's key. */
  readonly key: KnownKey | undefined
  /** The key whose usage statistics count this call. */
  readonly countedFor: number | undefined
  /** How many requests were admitted for it. */
  readonly requests: number
  /** Why the call may not continue: a refusal for the client, or a failure of the gate. */
  readonly refusal: Error | undefined
  /** Whether the refused call is a strike. */
  readonly isStrike?: boolean | undefined
}
