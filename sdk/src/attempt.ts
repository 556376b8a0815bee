import { readError } from './answer.ts'
import { PetStoreError } from './errors.ts'
import type { Gate } from './gate.ts'
import type { PetStoreOptions } from './options.ts'
import type { Time } from './time.ts'

export interface Attempt<T> {
  readonly url: string
  readonly init: RequestInit
  /** How many requests it counts as; 0 for one that costs no quota and waits for nobody. */
  readonly cost: number
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  /** Looks at every answer. */
  readonly seen: (headers: Headers) => void
  /** Makes the result of a success. */
  readonly read: (response: Response) => Promise<T>
}

interface Ground {
  readonly time: Time
  readonly gate: Gate
  readonly options: PetStoreOptions
}

/** Sends a request once it may be sent. Gives the result or the error; throws only what no repeat can mend. */
export async function attempt<T>(
  { time, gate, options: { fetch = globalThis.fetch, attemptTimeoutMs = 30_000, throttle = true } }: Ground,
  { url, init, cost, deadline, signal, seen, read }: Attempt<T>,
): Promise<{ result: T } | { error: PetStoreError }> {
  signal?.throwIfAborted()
  if (cost > 0) await gate.enter({ cost, deadline, signal, throttle })
  const timeoutMs = Math.min(attemptTimeoutMs, deadline - time.now())
  const message = `No answer within ${timeoutMs} ms.`
  const late = new PetStoreError({ code: 'timed_out', status: 0, message })
  const ended = new AbortController()
  const abort = () => ended.abort(signal?.reason)
  const timer = setTimeout(() => ended.abort(late), timeoutMs)
  signal?.addEventListener('abort', abort)
  let answer: Response | undefined
  try {
    const response = await fetch(url, { ...init, signal: ended.signal })
    answer = response
    seen(response.headers)
    if (response.ok || response.status === 304) return { result: await read(response) }
    const error = await readError(response, time.now())
    if (error.code === 'rate_limited' || error.code === 'quota_exhausted') gate.hold(error)
    return { error }
  } catch (error) {
    signal?.throwIfAborted()
    if (ended.signal.aborted) return { error: late }
    return { error: error instanceof PetStoreError ? error : connectionFailed(url, error) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    if (cost > 0) gate.leave(cost, answer)
  }
}

function connectionFailed(url: string, cause: unknown): PetStoreError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new PetStoreError({
    code: 'connection_failed',
    status: 0,
    message: `${new URL(url).origin} gave no answer: ${reason}`,
    cause,
  })
}
