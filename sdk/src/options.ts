import type { Time } from './time.ts'

export interface Deprecated {
  /** The operation, such as `GET /pets/{petId}`. */
  readonly operation: string
  readonly since: Date | undefined
  /** From then on it answers 410. */
  readonly sunset: Date | undefined
  /** What to use instead. */
  readonly successor: string | undefined
}

export interface PetStoreOptions extends Partial<Time> {
  /** Where the service is, such as `https://petstore.example.com`. */
  readonly baseUrl: string
  readonly apiKey?: string
  /** How often a call is tried at most; 5 unless given, 1 for no repeats. */
  readonly attemptsMax?: number
  /** How long a call may take in all, waits included; two minutes unless given. */
  readonly totalMs?: number
  /** How long one attempt may take; 30 seconds unless given. */
  readonly attemptTimeoutMs?: number
  /** Whether to wait for room rather than to send more than the limits allow; true unless given. */
  readonly throttle?: boolean
  /** Told once for each operation that is going away; a warning on the console unless given. */
  readonly onDeprecated?: (notice: Deprecated) => void
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ReadOptions<T> extends CallOptions {
  /** What an earlier call answered: given back as it is when it is still current, which costs no body. */
  readonly known?: T | undefined
}

export interface PostOptions extends CallOptions {
  /** Makes the call repeatable also after a restart of yours; every POST has a random one unless given. */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /** An ETag, or what an earlier call answered: the change is refused with 412 when somebody was faster. */
  readonly ifMatch?: string | object | undefined
}
