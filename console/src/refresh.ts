import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

/** Counts up every so often while the page is looked at; each count is a reason to look again. */
export function useRefresh(everyMs = 10_000): number {
  const count = useSignal(0)
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) count.value++
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return count.value
}
