/** Time and chance, so that tests can have their own. */
export interface Time {
  now(): number
  /** Ends after this many milliseconds, or as soon as the signal is aborted. It never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** From 0 up to 1. */
  random(): number
}

/** What setTimeout can take. */
const timerMaxMs = 2 ** 31 - 1

export const systemTime: Time = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, Math.min(ms, timerMaxMs))
      signal.addEventListener('abort', done)
    }),
}
