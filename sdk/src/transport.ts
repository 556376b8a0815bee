import { readResult } from './answer.ts'
import { warnOnce } from './deprecation.ts'
import type { Gate } from './gate.ts'
import type { Answer, Body, Method, Params, PathOf, Query } from './operation.ts'
import type { PetStoreOptions } from './options.ts'
import { type AnyOptions, requestHeaders, requestUrl } from './request.ts'
import { isTransient, mayHaveHappened, waitBeforeMs } from './retry.ts'
import { type OutgoingRequest, sendOnce } from './send-once.ts'
import { gateFor } from './shared-gate.ts'
import { systemTime, type Time } from './time.ts'

export interface Input<M extends Method, P extends PathOf<M>> {
  readonly params?: Params<M, P>
  readonly query?: Query<M, P> | undefined
  readonly body?: Body<M, P> | undefined
  readonly options?: AnyOptions | undefined
  /** How many requests it counts as: 1 unless given, 0 if it costs no quota. */
  readonly cost?: number
  /** Headers of this operation only. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends the requests of one client. Every call goes through `call`, which retries while that makes sense. */
export class Transport {
  readonly time: Time
  readonly gate: Gate
  readonly options: PetStoreOptions
  readonly #baseUrl: string
  readonly #warnIfDeprecated: (operation: string, headers: Headers) => void

  constructor(options: PetStoreOptions) {
    const { now, sleep, random } = options
    this.options = options
    this.time = { ...systemTime, ...(now && { now }), ...(sleep && { sleep }), ...(random && { random }) }
    this.gate = gateFor(options, this.time)
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    this.#warnIfDeprecated = warnOnce(options.onDeprecated)
  }

  /** Runs one operation and returns its JSON, or throws a PetStoreError. */
  send<M extends Method, P extends PathOf<M>>(method: M, path: P, input: Input<M, P> = {}): Promise<Answer<M, P>> {
    const known = input.options?.known
    return this.call(method, path, input, async (response) =>
      response.status === 304 ? (known as Answer<M, P>) : ((await readResult(response)) as Answer<M, P>),
    )
  }

  /** Like `send`, but the caller reads the answer. */
  async call<M extends Method, P extends PathOf<M>, T>(
    method: M,
    path: P,
    { params, query, body, options = {}, cost = 1, headers }: Input<M, P>,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { apiKey, attemptsMax = 5, totalMs = 120_000 } = this.options
    const { signal } = options
    const verb = method.toUpperCase()
    const hasBody = body !== undefined
    const request: OutgoingRequest<T> = {
      url: requestUrl(this.#baseUrl, path, params ?? {}, query ?? {}),
      init: {
        method: verb,
        headers: new Headers({
          ...this.options.headers,
          ...requestHeaders(method, apiKey, hasBody, options),
          ...headers,
        }),
        ...(hasBody && { body: JSON.stringify(body) }),
      },
      cost,
      deadline: this.time.now() + totalMs,
      signal,
      onHeaders: (received) => this.#warnIfDeprecated(`${verb} ${path}`, received),
      read,
    }
    let mayBeDone = false
    for (let tries = 1; ; tries++) {
      const answer = await sendOnce(this, request)
      if ('result' in answer) return answer.result
      const { error } = answer
      // An earlier try got no answer, but deleted what this one no longer finds.
      if (mayBeDone && method === 'delete' && error.status === 404) return read(new Response(null, { status: 204 }))
      mayBeDone ||= mayHaveHappened(error)
      const waitMs = waitBeforeMs(tries, error, this.time.random)
      const isTooLate = this.time.now() + waitMs > request.deadline
      if (!isTransient(error) || tries >= attemptsMax || isTooLate) throw error
      await this.pause(waitMs, signal)
    }
  }

  /** Waits; throws the signal's reason if it is aborted. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.time.sleep(ms, signal ?? new AbortController().signal)
    signal?.throwIfAborted()
  }
}
