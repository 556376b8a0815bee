import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { reserveRequests } from './budget.ts'
import { reloadSoon } from './live.ts'
import { session } from './session.ts'

/** A key with this many requests per minute refreshes at full speed; one with fewer refreshes less often. */
const plentyPerMinute = 1_000
const slowestFactor = 12

function slowDownFactor(): number {
  const perMinute = session.value?.status.windows.find(({ name }) => name === 'minute')?.limit ?? plentyPerMinute
  return Math.min(slowestFactor, Math.max(1, plentyPerMinute / perMinute))
}

/** Counts up at intervals while the page is visible; each count triggers a reload. Slower for a key with a low limit. */
export const useRefresh = (everyMs = 10_000): number =>
  useTick(everyMs * slowDownFactor(), () => reserveRequests(1) === 0)

/** Like useRefresh, but at a fixed interval, for components that send no requests. */
export function useTick(everyMs: number, isAllowed = () => true): number {
  const count = useSignal(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden && isAllowed()) count.value++
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return count.value
}

/** Loads the data of the screen again whenever this changes, as soon as the key can afford it. */
export function useReloadOn(value: string | number): void {
  const shown = useRef(value)
  useEffect(() => {
    if (shown.current !== value) reloadSoon()
    shown.current = value
  }, [value])
}
