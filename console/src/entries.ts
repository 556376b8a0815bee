import { type Signal, signal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'

// What the entries of the browser's history remember besides their address: where the page was scrolled to, and what was selected.

interface Entry {
  scrollY: number
  readonly kept: Map<string, Signal<unknown>>
}

const entries = new Map<number, Entry>()
const idIn = (state: unknown): number => (state as { entry?: number } | null)?.entry ?? 0
const currentId = signal(idIn(history.state))

function entryOf(id: number): Entry {
  const entry = entries.get(id) ?? { scrollY: 0, kept: new Map() }
  entries.set(id, entry)
  return entry
}

/** Adds an entry to the history, or changes the address of the current one. */
export function enter(href: string, { replace = false } = {}): void {
  leaveEntry()
  // Ids are times, so that an entry from before a reload never has the same number.
  const id = replace ? currentId.value : Math.max(Date.now(), currentId.value + 1)
  history[replace ? 'replaceState' : 'pushState']({ entry: id }, '', href)
  currentId.value = id
}

/** Remembers where the page is scrolled to. */
function leaveEntry(): void {
  entryOf(currentId.value).scrollY = scrollY
}

/** Follows the browser to another entry of its history. */
export function returnTo(state: unknown): void {
  leaveEntry()
  currentId.value = idIn(state)
  scrollWhenLoaded(entryOf(currentId.value).scrollY)
}

const patienceMs = 5_000

/** Scrolls as soon as the page is long enough, unless the user scrolls or presses a key first. */
function scrollWhenLoaded(to: number): void {
  const started = performance.now()
  const given = new AbortController()
  for (const type of ['wheel', 'keydown', 'pointerdown', 'touchstart', 'popstate']) {
    addEventListener(type, () => given.abort(), { signal: given.signal, passive: true })
  }
  const tryAgain = () => {
    if (given.signal.aborted) return
    const isLongEnough = document.documentElement.scrollHeight >= to + innerHeight
    if (isLongEnough || performance.now() - started > patienceMs) {
      scrollTo(0, to)
      given.abort()
    } else requestAnimationFrame(tryAgain)
  }
  requestAnimationFrame(tryAgain)
}

/** State that Back and Forward bring back. */
export function useKept<T>(name: string, initial: T): Signal<T> {
  const id = currentId.value
  const state = useMemo(() => (entryOf(id).kept.get(name) as Signal<T> | undefined) ?? signal(initial), [])
  useEffect(() => {
    entryOf(id).kept.set(name, state as Signal<unknown>)
  }, [id])
  return state
}
