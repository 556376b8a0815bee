import { effect, type ReadonlySignal, signal, untracked, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { revision } from './connection.ts'
import { joinLive, liveRevision } from './live.ts'

export interface Loaded<T> {
  /** The last data; kept while it reloads. */
  readonly data?: T
  readonly error?: unknown
  readonly isLoading: boolean
}

/** Reloads that the user expects. */
const running = new Set<Promise<void>>()

function track(reload: Promise<void>): void {
  running.add(reload)
  void reload.then(() => running.delete(reload))
}

/**
 * Loads data when the key changes, and reloads it when the user changed data or the service is back. It also follows the events or,
 * with a `tick`, reloads whenever that counts up.
 */
export function useLoad<T>(
  key: string,
  load: (signal: AbortSignal) => Promise<T>,
  tick?: number,
): ReadonlySignal<Loaded<T>> {
  // From the first render on, nothing is shown that was loaded for another key.
  const state = useMemo(() => signal<Loaded<T>>({ isLoading: true }), [key])
  const ticks = useSignal(tick)
  useEffect(() => {
    ticks.value = tick
  }, [tick])
  useEffect(() => {
    const ended = new AbortController()
    const leaveLive = tick === undefined ? joinLive() : undefined
    let started = 0
    let finished = 0
    let seenRevision = revision.peek()
    const stop = effect(() => {
      const isExpected = revision.value !== seenRevision
      seenRevision = revision.value
      if (ticks.value === undefined) liveRevision.value
      // What `load` reads from the address is part of the key.
      const done = untracked(() => run(isExpected))
      if (isExpected) track(done)
    })
    /** Only a reload that the user expects is shown. A response that a later one has overtaken is dropped. */
    async function run(isExpected: boolean) {
      const turn = ++started
      const before = state.peek()
      if (isExpected && !before.isLoading) state.value = { ...before, isLoading: true }
      try {
        const data = await load(ended.signal)
        if (!ended.signal.aborted && turn > finished) state.value = { data, isLoading: false }
      } catch (error) {
        if (ended.signal.aborted || turn <= finished) return
        state.value = { ...(before.data !== undefined && { data: before.data }), error, isLoading: false }
      }
      finished = Math.max(finished, turn)
    }
    return () => {
      ended.abort()
      stop()
      leaveLive?.()
    }
  }, [key])
  return state
}

/** Makes every screen reload its data, and resolves when it has, so that the next edit starts from the new data. */
export async function reloadScreens(): Promise<void> {
  revision.value++
  await Promise.all(running)
}
