import type { Admitted, Operation } from '../api/operation.ts'

// How a way in, HTTP or another, talks to the gate: in plain values.

export interface Gate {
  enter(call: Incoming): Promise<Entry>
  /** Told once per call how it was answered. */
  leave(entry: Entry, status: number): void
}

export interface Incoming {
  /** What was sent as `X-API-Key` and as `Authorization`; null where nothing was. */
  readonly apiKey: string | null
  readonly authorization: string | null
  /** The address that a call without a valid key is metered by; asked for only then. */
  readonly address: () => string
  readonly now: number
  /** What is called. Undefined: something that does not exist. */
  readonly operation: Pick<Operation, 'meter'> | undefined
}

export interface Entry {
  readonly caller: Admitted | undefined
  /** The key whose use this counts as. */
  readonly countedFor: number | undefined
  /** Why the call may not go on: what the client is told, or what went wrong on the way in. */
  readonly refusal: Error | undefined
  /** The rate-limit headers, which every answer carries. */
  readonly headers: Readonly<Record<string, string>>
}
