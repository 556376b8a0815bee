import type { Time } from '../src/time.ts'

/** In whole milliseconds, as the clock of a machine. */
interface Clock {
  now(): number
  advance(ms: number): void
}

interface VirtualTime extends Time {
  /** How long each sleep was asked to be, in the order of asking. */
  readonly slept: number[]
  /** Counts the requests under way: time stands still meanwhile. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
}

/**
 * The time of a service with a clock that stands still: when all that goes on is sleeping, the clock moves to the end of the
 * shortest sleep. So minutes pass in no time, and everybody has the same clock.
 */
export function virtualTime(clock: Clock): VirtualTime {
  const sleepers = new Set<{ until: number; wake: () => void }>()
  const slept: number[] = []
  let underWay = 0
  let looking = false

  function look(): void {
    if (looking) return
    looking = true
    // After everything that is ready to go on has gone on.
    setTimeout(() => {
      looking = false
      if (underWay > 0 || sleepers.size === 0) return
      const next = Math.min(...[...sleepers].map(({ until }) => until))
      clock.advance(Math.ceil(Math.max(0, next - clock.now())))
      for (const sleeper of [...sleepers]) if (sleeper.until <= clock.now()) sleeper.wake()
      look()
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
        look()
      }),
    async fetch(url, init) {
      underWay++
      try {
        const response = await fetch(url, init)
        const body = await response.arrayBuffer()
        return new Response(response.status === 204 || response.status === 304 ? null : body, response)
      } finally {
        underWay--
        look()
      }
    },
  }
}
