import type { Time } from '../src/time.ts'

/** In whole milliseconds, like a system clock. */
interface Clock {
  now(): number
  advance(ms: number): void
}

interface VirtualTime extends Time {
  /** The length of each sleep, in order. */
  readonly slept: number[]
  /** Counts the requests in flight; the clock stands still meanwhile. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * A service's stopped clock: when everything is asleep, it moves to the end of the shortest sleep. So minutes pass instantly, and
 * the service and its clients have the same time.
 */
export function virtualTime(clock: Clock): VirtualTime {
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const slept: number[] = []
  let inFlight = 0
  let isScheduled = false

  function advanceSoon(): void {
    if (isScheduled) return
    isScheduled = true
    // After everything that is ready to run has run.
    setTimeout(() => {
      isScheduled = false
      if (inFlight > 0 || sleepers.size === 0) return
      const next = Math.min(...[...sleepers].map(({ until }) => until))
      clock.advance(Math.ceil(Math.max(0, next - clock.now())))
      for (const sleeper of [...sleepers]) if (sleeper.until <= clock.now()) sleeper.wake()
      advanceSoon()
    }, 1)
  }

  return {
    slept,
    now: () => clock.now(),
    random: Math.random,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        slept.push(ms)
        const sleeper = { until: clock.now() + ms, wake }
        function wake(): void {
          sleepers.delete(sleeper)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        if (signal.aborted) return resolve()
        signal.addEventListener('abort', wake)
        sleepers.add(sleeper)
        advanceSoon()
      }),
    async fetch(url, init) {
      inFlight++
      try {
        const response = await fetch(url, init)
        const body = await response.arrayBuffer()
        return new Response(response.status === 204 || response.status === 304 ? null : body, response)
      } finally {
        inFlight--
        advanceSoon()
      }
    },
  }
}
