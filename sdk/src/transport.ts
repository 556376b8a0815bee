import { readResult } from './answer.ts'
import { type Attempt, attempt } from './attempt.ts'
import { warnOnce } from './deprecation.ts'
import type { Gate } from './gate.ts'
import type { Answer, Body, Method, Params, PathOf, Query } from './operation.ts'
import type { PetStoreOptions } from './options.ts'
import { type AnyOptions, requestHeaders, requestUrl } from './request.ts'
import { isPassing, mayHaveHappened, waitBeforeMs } from './retry.ts'
import { gateFor } from './shared-gate.ts'
import { systemTime, type Time } from './time.ts'

export interface Input<M extends Method, P extends PathOf<M>> {
  readonly params?: Params<M, P>
  readonly query?: Query<M, P> | undefined
  readonly body?: Body<M, P> | undefined
  readonly options?: AnyOptions | undefined
  /** How many requests it counts as: 1 unless given, 0 for one that costs no quota. */
  readonly cost?: number
  /** Headers of this operation alone. */
  readonly headers?: Readonly<Record<string, string>>
}

/** One client's way to the service: every call goes through `call`, which gives up only where going on makes no sense. */
export class Transport {
  readonly time: Time
  readonly gate: Gate
  readonly options: PetStoreOptions
  readonly #baseUrl: string
  readonly #seen: (operation: string, headers: Headers) => void

  constructor(options: PetStoreOptions) {
    const { now, sleep, random } = options
    this.options = options
    this.time = { ...systemTime, ...(now && { now }), ...(sleep && { sleep }), ...(random && { random }) }
    this.gate = gateFor(options, this.time)
    this.#baseUrl = new URL(options.baseUrl).href.replace(/\/+$/, '')
    this.#seen = warnOnce(options.onDeprecated)
  }

  /** Does one operation and gives its JSON, or throws a PetStoreError. */
  send<M extends Method, P extends PathOf<M>>(method: M, path: P, input: Input<M, P> = {}): Promise<Answer<M, P>> {
    const known = input.options?.known
    return this.call(method, path, input, async (response) =>
      response.status === 304 ? (known as Answer<M, P>) : ((await readResult(response)) as Answer<M, P>),
    )
  }

  /** The same for whoever reads the answer in a way of its own. */
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
    const request: Attempt<T> = {
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
      seen: (answered) => this.#seen(`${verb} ${path}`, answered),
      read,
    }
    let unsure = false
    for (let count = 1; ; count++) {
      const outcome = await attempt(this, request)
      if ('result' in outcome) return outcome.result
      const { error } = outcome
      // The attempt before had no answer, but took away what this one no longer finds.
      if (unsure && method === 'delete' && error.status === 404) return read(new Response(null, { status: 204 }))
      unsure ||= mayHaveHappened(error)
      const waitMs = waitBeforeMs(count, error, this.time.random)
      const tooLate = this.time.now() + waitMs > request.deadline
      if (!isPassing(error) || count >= attemptsMax || tooLate) throw error
      await this.pause(waitMs, signal)
    }
  }

  /** Waits, unless the signal ends it: then it throws the signal's reason. */
  async pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    await this.time.sleep(ms, signal ?? new AbortController().signal)
    signal?.throwIfAborted()
  }
}
