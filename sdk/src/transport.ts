import { warnOnce } from './deprecation.ts'
import { PetStoreError } from './errors.ts'
import type { Gate } from './gate.ts'
import { logResponse, logRetry } from './logger.ts'
import type { AllowDates, ApiResponse, Body, Method, Params, PathOf, Query } from './operation.ts'
import type { PetStoreOptions } from './options.ts'
import { type AnyCall, requestBody, requestHeaders, requestUrl } from './request.ts'
import { readResult } from './response.ts'
import {
  explainRepeat,
  finalError,
  findUnclear,
  isRejectedRepeat,
  mayHaveHappened,
  waitBeforeRetryMs,
} from './retry.ts'
import { type OutgoingRequest, sendOnce } from './send-once.ts'
import { readOptions, type Settings } from './settings.ts'
import { gateFor } from './shared-gate.ts'
import type { Time } from './time.ts'

export interface Input<M extends Method, P extends PathOf<M>> extends Pick<AnyCall, 'options' | 'cost' | 'headers'> {
  readonly params?: Params<M, P>
  readonly query?: AllowDates<Query<M, P>> | undefined
  readonly body?: AllowDates<Body<M, P>> | undefined
}

/** Sends the requests of one client. Every call goes through `call`, which retries while that makes sense. */
export class Transport {
  readonly settings: Settings
  readonly time: Time
  readonly gate: Gate
  readonly #warnIfDeprecated: (operation: string, headers: Headers) => void

  constructor(options: PetStoreOptions) {
    this.settings = readOptions(options)
    this.time = this.settings.time
    this.gate = gateFor(this.settings)
    this.#warnIfDeprecated = warnOnce(this.settings)
  }

  /** Runs one operation and returns its JSON, or throws a PetStoreError. */
  send<M extends Method, P extends PathOf<M>>(method: M, path: P, input: Input<M, P> = {}): Promise<ApiResponse<M, P>> {
    const known = input.options?.known
    return this.call(
      { method: method.toUpperCase(), path, ...input },
      async (response) => (response.status === 304 ? known : await readResult(response)) as ApiResponse<M, P>,
    )
  }

  /** Like `send`, for any path, and the caller reads the response. */
  async call<T>(call: AnyCall, read: (response: Response) => Promise<T>): Promise<T> {
    const { settings, time } = this
    const { method, path, options: { signal, timeoutMs = settings.totalMs, ...options } = {}, cost = 1 } = call
    const operation = `${method} ${path.split('?')[0]}`
    const deadline = time.now() + timeoutMs
    const request: OutgoingRequest<T> = {
      url: requestUrl(settings, call),
      init: {
        method,
        headers: requestHeaders(settings, call),
        // Bun automatically repeats a DELETE if a reused connection is cut: a 404 that this client could not explain.
        ...(method === 'DELETE' && { keepalive: false }),
        body: requestBody(call),
      },
      cost,
      deadline,
      signal,
      onResponse: ({ status, headers }, durationMs) => {
        const requestId = headers.get('X-Request-Id') ?? undefined
        logResponse(settings.logger, { operation, attempt: failures.length + 1, status, requestId, durationMs })
        this.#warnIfDeprecated(operation, headers)
      },
      read,
    }
    const failures: PetStoreError[] = []
    for (;;) {
      const response = await sendOnce(this, request).catch((error: unknown) => {
        // It was not sent, which says nothing about the tries before.
        throw (error instanceof PetStoreError && findUnclear(method, failures)) || error
      })
      if ('result' in response) return response.result
      const { error } = response
      // An earlier try got no clear response, but deleted what this one no longer finds.
      const isDone = method === 'DELETE' && error.status === 404 && failures.some(mayHaveHappened)
      if (isDone) return read(new Response(null, { status: 204 }))
      if (isRejectedRepeat(method, error, failures)) throw explainRepeat(error)
      failures.push(error)
      const waitMs = waitBeforeRetryMs(failures, deadline - time.now(), time.random)
      if (waitMs === undefined || failures.length >= (options.attemptsMax ?? settings.attemptsMax))
        throw finalError(method, error, failures)
      logRetry(settings.logger, error, { operation, attempt: failures.length, waitMs })
      await this.pause(waitMs, signal)
    }
  }

  /** Waits; throws the signal's reason if it is aborted. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.time.sleep(ms, signal ?? new AbortController().signal)
    signal?.throwIfAborted()
  }
}
