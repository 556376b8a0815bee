import { createError } from './error-kinds.ts'
import { PetStoreError } from './errors.ts'
import type { Gate } from './gate.ts'
import { readError } from './response.ts'
import type { Settings } from './settings.ts'
import { timerMaxMs } from './time.ts'

export interface OutgoingRequest<T> {
  readonly url: string
  readonly init: RequestInit
  /** How many requests it counts as; 0 if it costs no quota and need not wait. */
  readonly cost: number
  readonly deadline: number
  readonly signal: AbortSignal | undefined
  /** Called with every response, before it is read. */
  readonly onResponse: (response: Response, durationMs: number) => void
  /** Reads the result of a success. */
  readonly read: (response: Response) => Promise<T>
}

interface Sender {
  readonly gate: Gate
  readonly settings: Settings
}

/** Waits for the gate and sends the request once. Returns the result or the error; throws only what a retry cannot fix. */
export async function sendOnce<T>(
  { gate, settings: { time, fetch, attemptTimeoutMs, throttle, leaveFree } }: Sender,
  { url, init, cost, deadline, signal, onResponse, read }: OutgoingRequest<T>,
): Promise<{ result: T } | { error: PetStoreError }> {
  signal?.throwIfAborted()
  if (cost > 0) await gate.enter({ cost, deadline, signal, throttle, leaveFree })
  const sentAt = time.now()
  const timeoutMs = Math.min(attemptTimeoutMs, deadline - sentAt, timerMaxMs)
  const message = `No response within ${timeoutMs} ms.`
  const timeout = createError({ code: 'timed_out', status: 0, message })
  const ended = new AbortController()
  const abort = () => ended.abort(signal?.reason)
  const timer = setTimeout(() => ended.abort(timeout), timeoutMs)
  signal?.addEventListener('abort', abort)
  let response: Response | undefined
  let isReporting = false
  try {
    response = await fetch(url, { ...init, redirect: 'manual', signal: ended.signal })
    isReporting = true
    onResponse(response, time.now() - sentAt)
    isReporting = false
    if (response.ok || response.status === 304) return { result: await read(response) }
    const error = await readError(response, time.now())
    if (error.code === 'rate_limited' || error.code === 'quota_exhausted') gate.block(error)
    return { error }
  } catch (error) {
    signal?.throwIfAborted()
    // A function of the caller failed, so sending again would not help.
    if (isReporting) throw error
    if (ended.signal.aborted) return { error: timeout }
    return { error: error instanceof PetStoreError ? error : connectionFailed(url, error) }
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    gate.leave(cost, response)
  }
}

function connectionFailed(url: string, cause: unknown): PetStoreError {
  const message = `${new URL(url).origin} did not respond: ${reasonOf(cause)}`
  return createError({ code: 'connection_failed', status: 0, message, cause })
}

/** Node's "fetch failed" has the reason as its cause. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  return cause.cause === undefined ? cause.message : `${cause.message}: ${reasonOf(cause.cause)}`
}
