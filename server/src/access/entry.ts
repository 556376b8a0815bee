import type { Admitted, Operation } from '../api/operation.ts'
import type { Queryable } from '../db/database.ts'
import type { KnownKey } from '../keys/directory.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import type { Limits } from '../lib/limits.ts'
import type { Used } from '../limits/windows.ts'

// How a way in, HTTP or another, talks to the gate: in plain values.

export interface Gate {
  /**
   * Where the decision has to be waited for and is likely to be yes, `begin` is called at once with the entry as it then will be: the
   * work may begin meanwhile. It is answered, and what it changes is kept, only when the call is admitted.
   */
  enter<C extends Incoming>(call: C, begin?: Begin<C>): Awaitable<Entry>
  /** Rejects a call that counts in no window, for any caller. */
  turnAway(call: Incoming, refusal: Error): Promise<Entry>
  /** The windows of a call that counts nowhere, as far as this node knows. */
  shown(call: Incoming): Promise<Windows>
  /**
   * Who calls, now that the work begins: the body may have been long in coming. Refuses a key that may not do this any more.
   * To be asked first thing in the transaction of a write, and before a read that the gate kept waiting. Asks the
   * database nothing while the key is remembered.
   */
  stillAllowed(db: Queryable, entry: Entry, operation: Asked, now: number): Awaitable<Admitted>
  /**
   * The same call once it is known how many requests it counts as: those beyond the first are admitted together, or the call is
   * refused. What was admitted before stays counted.
   */
  charge(entry: Entry, requests: number, now: number): Promise<Entry>
  /** Told once per call how it was answered, and when. */
  leave(entry: Entry, status: number, now: number): void
}

export type Begin<C> = (call: C, expected: Entry, decided: Promise<Entry>) => void

type Asked = Pick<Operation, 'scope' | 'orScope' | 'method'>

export interface Incoming {
  /** What was sent as `X-API-Key` and as `Authorization`; undefined where nothing was. */
  readonly apiKey: string | undefined
  readonly authorization: string | undefined
  /** The address that a call without a valid key is metered by; asked for only then. */
  address(): string
  readonly now: number
  /** What is called. Undefined: something that does not exist. */
  readonly operation: Pick<Operation, 'meter'> | undefined
}

/** What every answer tells in its rate-limit headers (`access/headers.ts`). */
export interface Windows {
  readonly used: Used
  readonly limits: Limits
  readonly now: number
}

export interface Entry extends Windows {
  /** Who calls. */
  readonly key: KnownKey | undefined
  /** The key whose use this counts as. */
  readonly countedFor: number | undefined
  /** How many requests were admitted for it. */
  readonly requests: number
  /** Why the call may not go on: what the client is told, or what went wrong on the way in. */
  readonly refusal: Error | undefined
  /** What the windows of the key have admitted, where those above are of a meter beside them. */
  readonly usedByKey?: Used
}
