import { useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

const settledMs = 300

/** Whether an element has been on the screen while nothing was loading that might still push it down. */
export function useSeen(element: RefObject<Element | null>): boolean {
  const isSeen = useSignal(false)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const look = () => {
      // The observer reports only with the next frame that something has pushed it down.
      const isStill = (element.current?.getBoundingClientRect().top ?? 0) < innerHeight
      if (isStill && !document.querySelector('main .loading')) isSeen.value = true
      else timer = setTimeout(look, settledMs)
    }
    const observer = new IntersectionObserver((entries) => {
      clearTimeout(timer)
      if (entries.at(-1)?.isIntersecting) timer = setTimeout(look, settledMs)
    })
    if (element.current) observer.observe(element.current)
    return () => {
      clearTimeout(timer)
      observer.disconnect()
    }
  }, [])
  return isSeen.value
}
