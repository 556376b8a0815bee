import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { session } from './session.ts'

/** A key with this many requests a minute may look as often as the screens like; one with fewer looks less often. */
const plentyPerMinute = 1_000
const slowestTimes = 12

function pace(): number {
  const perMinute = session.value?.status.windows.find(({ name }) => name === 'minute')?.limit ?? plentyPerMinute
  return Math.min(slowestTimes, Math.max(1, plentyPerMinute / perMinute))
}

/** Counts up every so often while the page is looked at; each count is a reason to ask again. */
export const useRefresh = (everyMs = 10_000): number => useTick(everyMs * pace())

/** The same for what asks nobody. */
export function useTick(everyMs: number): number {
  const count = useSignal(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) count.value++
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return count.value
}
