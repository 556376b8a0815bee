import type { Time } from './time.ts'

export interface Deprecated {
  /** The operation, such as `GET /pets/{petId}`. */
  readonly operation: string
  readonly since: Date | undefined
  /** From then on the operation answers 410. */
  readonly sunset: Date | undefined
  /** What to use instead. */
  readonly successor: string | undefined
}

export interface PetStoreOptions extends Partial<Time> {
  /** The address of the service, such as `https://petstore.example.com`. */
  readonly baseUrl: string
  readonly apiKey?: string
  /** How often a call is tried at most; 5 unless given, 1 for no retries. */
  readonly attemptsMax?: number
  /** How long a call may take in total, waits included; two minutes unless given. */
  readonly totalMs?: number
  /** How long one try may take; 30 seconds unless given. */
  readonly attemptTimeoutMs?: number
  /** Whether to wait instead of exceeding the limits; true unless given. */
  readonly throttle?: boolean
  /** Called once for each deprecated operation; logs a console warning unless given. */
  readonly onDeprecated?: (notice: Deprecated) => void
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

export interface ReadOptions<T> extends CallOptions {
  /** The result of an earlier call: returned as it is if still current, which transfers no body. */
  readonly known?: T | undefined
}

export interface PostOptions extends CallOptions {
  /** Makes the call safe to repeat, even after a restart; random unless given. */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /** An ETag, or the result of an earlier call: the change is refused with 412 if the resource has changed since. */
  readonly ifMatch?: string | object | undefined
}
