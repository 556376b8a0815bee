import type { Logger } from './logger.ts'
import type { Tagged } from './operation.ts'
import type { Time } from './time.ts'

export interface Deprecated {
  /** The operation, such as `GET /pets/{petId}`. */
  readonly operation: string
  readonly since: Date | undefined
  /** From then on the operation returns 410. */
  readonly sunset: Date | undefined
  /** What to use instead. */
  readonly successor: string | undefined
}

export interface PetStoreOptions extends Partial<Time> {
  /** The address of the service, such as `https://petstore.example.com`; taken from the variable `PETSTORE_URL` unless given. */
  readonly baseUrl?: string | undefined
  /** Taken from the variable `PETSTORE_API_KEY` unless given. */
  readonly apiKey?: string | undefined
  /** How long a call may take in total, waits and retries included; two minutes unless given. */
  readonly totalMs?: number | undefined
  /** How long one try may take; 30 seconds unless given. */
  readonly attemptTimeoutMs?: number | undefined
  /** The most times a call is tried; as often as `totalMs` allows unless given, 1 for no retries. */
  readonly attemptsMax?: number | undefined
  /** Whether to wait instead of exceeding the limits; true unless given. */
  readonly throttle?: boolean | undefined
  /** The share of each limit to leave for other clients of the key, such as 0.1 in a long task; 0 unless given. */
  readonly leaveFree?: number | undefined
  /** Called once for each deprecated operation; logs a warning unless given. */
  readonly onDeprecated?: ((notice: Deprecated) => void) | undefined
  /** Gets a line for each request and each retry, such as `console`. Bodies, queries and keys are not logged. */
  readonly logger?: Logger | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

/** The options of one call; the client's options apply to the rest. For a list, these apply to each page. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** How long the call may take in total, waits and retries included; `totalMs` of the client unless given. */
  readonly timeoutMs?: number | undefined
  /** The most times the call is tried; 1 for no retries. */
  readonly attemptsMax?: number | undefined
  /** Sent with this call, instead of others of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface ReadOptions<T extends object> extends CallOptions {
  /** The result of an earlier call: returned as it is if still current, which transfers no body. */
  readonly known?: Tagged<T> | undefined
}

export interface PostOptions extends CallOptions {
  /** Makes the call safe to repeat, even after a restart; random unless given. */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /**
   * An ETag, or the result of an earlier call for a single resource: the change is rejected with 412 if the resource has changed
   * since. An item of a list has no ETag; read it on its own first.
   */
  readonly ifMatch?: string | Tagged | undefined
}

/** A request for which the client has no method. */
export interface RequestOptions extends PostOptions, ChangeOptions {
  readonly query?: QueryValues | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** How many requests it counts as: 1 unless given, 0 if it costs no quota. */
  readonly cost?: number | undefined
}

type QueryValue = string | number | boolean | Date | null | undefined

/** A list repeats its name; null and undefined are left out. */
export type QueryValues = Readonly<Record<string, QueryValue | readonly QueryValue[]>>
