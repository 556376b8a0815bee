/**
 * How much of the response the client received. `cut`: the connection was closed before the end; `abandoned`: the client closed it
 * first; `open`: not ended yet.
 */
export type Received = 'complete' | 'cut' | 'abandoned' | 'open'

/** A request with its response, as the client saw it. Header names are in lower case. */
export interface Exchange {
  /** 1, 2, 3… */
  readonly id: number
  /** The number of its credential: requests with the same one come from the same client. */
  readonly client: number | undefined
  /** Requests with the same one came one after the other on one connection. */
  readonly connection?: number | undefined
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Whether its address had a credential, if what is recorded does not show it. */
  readonly hasCredential?: boolean | undefined
  /** The name of the operation, as in the profile. */
  readonly operation?: string | undefined
  readonly headers: Readonly<Record<string, string>>
  /** The token that names the call, if the API takes it in the body. */
  readonly name?: string | undefined
  readonly body?: string | undefined
  /** Whether there was more of the body than is known. */
  readonly bodyCut?: boolean | undefined
  readonly received: Received
  /** Null if the client received no status. */
  readonly status: number | null
  readonly responseHeaders: Readonly<Record<string, string>>
  readonly responseBody?: string | undefined
  /** When it arrived, by the machine's clock and by the API's: a test may move the latter. */
  readonly arrivedMs: number
  readonly apiArrivedMs: number
  /** How long it took until the response ended, was cut or was abandoned; null while it is open. */
  readonly durationMs: number | null
  /** When it ended by the API's clock, if that may have stood still or moved meanwhile. */
  readonly apiEndedMs?: number | undefined
  /** The fault that was simulated. */
  readonly fault?: string | undefined
  /** The last event that a stream sent. */
  readonly lastEventId?: string | undefined
  /** All events that a stream sent, unless they were too many. */
  readonly eventIds?: readonly string[] | undefined
}

/** An attempt to deliver a webhook to the client. */
export interface Delivery {
  readonly id: number
  readonly webhook: number
  readonly event: string
  /** Null if there was no response. */
  readonly status: number | null
  /** Whether a receiver listened there. */
  readonly isReached: boolean
  /** Whether it was signed with a wrong secret. */
  readonly isForged: boolean
  /** Whether it was signed for another time than when it was sent, because a test moved the API's clock: a receiver rejects that. */
  readonly isStale?: boolean
}

/** What is known about a client. */
export interface History {
  /** In the order they arrived. */
  readonly exchanges: readonly Exchange[]
  readonly deliveries: readonly Delivery[]
  /** Whether these are all exchanges that there were. */
  readonly isComplete: boolean
  /** Whether the client goes on, while a part of this is judged for good. */
  readonly goesOn?: boolean
  /** When it was read, by the machine's clock and by the API's. */
  readonly nowMs: number
  readonly apiNowMs: number
}

/** Puts exchanges in the order they arrived. */
export const inOrder = (exchanges: readonly Exchange[]): Exchange[] =>
  exchanges.toSorted((a, b) => a.arrivedMs - b.arrivedMs || a.id - b.id)
