import type { Caller, Operation } from '../api/operation.ts'

/** What the corridor asks of whoever knows keys and limits. */
export interface Gate {
  enter(call: Incoming, operation: Operation | undefined): Promise<Entry>
  /** Told once per request how it was answered. */
  leave(entry: Entry, status: number): void
}

export interface Incoming {
  readonly request: Request
  /** The address of the other end of the socket. */
  readonly peer: () => string
  readonly now: number
}

export interface Entry {
  readonly caller: Caller | undefined
  /** The key whose use this counts as. */
  readonly countedFor: number | undefined
  /** Why the request may not go on: what the client is told, or what went wrong on the way in. */
  readonly refusal: Error | undefined
  /** The rate-limit headers, which every answer carries. */
  readonly headers: Readonly<Record<string, string>>
}
