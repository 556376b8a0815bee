import { effect, type ReadonlySignal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { revision } from './connection.ts'

export interface Loaded<T> {
  /** The last data; kept while it reloads. */
  readonly data?: T
  readonly error?: unknown
  readonly isLoading: boolean
}

/** Loads data when the key changes, and reloads when data changed, the service is back or `tick` counts up. */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  tick = 0,
): ReadonlySignal<Loaded<T>> {
  const state = useSignal<Loaded<T>>({ isLoading: true })
  const ticks = useSignal(tick)
  useEffect(() => {
    ticks.value = tick
  }, [tick])
  useEffect(() => {
    const ended = new AbortController()
    // The old data belongs to another key.
    state.value = { isLoading: true }
    const stop = effect(() => {
      revision.value
      ticks.value
      run(ended.signal)
    })
    async function run(signal: AbortSignal) {
      const before = state.peek()
      if (!before.isLoading) state.value = { ...before, isLoading: true }
      try {
        const data = await load(signal)
        if (!signal.aborted) state.value = { data, isLoading: false }
      } catch (error) {
        if (signal.aborted) return
        state.value = { ...(before.data !== undefined && { data: before.data }), error, isLoading: false }
      }
    }
    return () => {
      ended.abort()
      stop()
    }
  }, [key])
  return state
}

/** Makes every screen reload its data. */
export function reloadScreens(): void {
  revision.value++
}
