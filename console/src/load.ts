import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { revision } from './connection.ts'

export interface Loaded<T> {
  /** What came last; it stays while it is loaded anew. */
  readonly data?: T
  readonly error?: unknown
  readonly busy: boolean
}

/** Loads something: anew when the key changes, and again when something was changed, the service is back or `tick` counts up. */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  tick = 0,
): ReadonlySignal<Loaded<T>> {
  const state = useSignal<Loaded<T>>({ busy: true })
  const ticks = useSignal(tick)
  useEffect(() => {
    ticks.value = tick
  }, [tick])
  useEffect(() => {
    const ended = new AbortController()
    // What was shown belongs to another question.
    state.value = { busy: true }
    const stop = effect(() => {
      revision.value
      ticks.value
      run(ended.signal)
    })
    async function run(signal: AbortSignal) {
      const before = state.peek()
      if (!before.busy) state.value = { ...before, busy: true }
      try {
        const data = await load(signal)
        if (!signal.aborted) state.value = { data, busy: false }
      } catch (error) {
        if (signal.aborted) return
        state.value = { ...(before.data !== undefined && { data: before.data }), error, busy: false }
      }
    }
    return () => {
      ended.abort()
      stop()
    }
  }, [key])
  return state
}

/** Tells every screen that something has changed. */
export function changed(): void {
  revision.value++
}
