import type { Received } from '@petstore/judge/history'

/** A request that a sandbox received, with its response. Secrets are removed. */
export interface RecordedRequest {
  /** 1, 2, 3… in the order in which they arrived. */
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
  /** Path and query, under the address of the sandbox. */
  readonly target: string
  readonly operationId?: string
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** At most 16 kB of it. */
  readonly body?: string
  /** Whether there was more of the body. */
  readonly bodyCut?: boolean
  readonly keyId?: number
  /** The client's port: requests with the same port came on one connection. */
  readonly connection?: number
  readonly received: Received
  /** Null if the client received not even the head of a response. */
  readonly status: number | null
  /** By lower-case name. */
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody?: string
  /** The response of the fault rule, or the code of `Prefer`, that this request was given. */
  readonly fault?: string
  /** The last event that a stream sent. Known once the stream has ended. */
  readonly streamLastEventId?: string
  /** The events that a stream sent, if they were at most a hundred. Known once the stream has ended. */
  readonly streamEventIds?: readonly string[]
}

/** An attempt to deliver an event to a webhook. */
export interface RecordedDelivery {
  readonly id: number
  /** When it was sent, by the sandbox's clock. */
  readonly at: string
  readonly webhookId: number
  readonly eventId: string
  /** 1 for the first attempt. */
  readonly attempt: number
  readonly url: string
  /** Null if there was no response. */
  readonly status: number | null
  /** Why there was none. */
  readonly error?: string
  readonly durationMs: number
  /** Whether it was signed with a wrong secret, to see if the receiver rejects it. */
  readonly forged?: boolean
}
