/** Clock and random numbers, replaceable in tests. */
export interface Time {
  now(): number
  /** Resolves after this many milliseconds, or when the signal is aborted. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>
  /** At least 0 and less than 1. */
  random(): number
}

/** The longest delay that setTimeout accepts; a longer one ends at once. */
export const timerMaxMs = 2 ** 31 - 1

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
