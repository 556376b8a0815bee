import { AsyncLocalStorage } from 'node:async_hooks'

/** A task that runs until stopped. Each run returns the delay in milliseconds before the next one. */
export interface RepeatedTask {
  /** Runs the task as soon as possible: now, or right after the current run. */
  wake(): void
  /** Runs the task now, or right after the current run. Resolves when that run has ended. */
  run(): Promise<void>
  /** Resolves when no run is in progress. */
  stop(): Promise<void>
}

/** Runs `task` repeatedly, one run at a time: first after `firstMs`, and `failedMs` after a failed run. */
export function repeat(
  task: () => Promise<number>,
  onError: (error: unknown) => void,
  { firstMs = 0, failedMs = 1_000 } = {},
): RepeatedTask {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  let isWoken = false
  let isStopped = false
  /** A run does not belong to the request that woke it, nor to its trace. */
  const apart = AsyncLocalStorage.snapshot()

  function start(): void {
    clearTimeout(timer)
    isWoken = false
    running = apart(task)
      .catch((error: unknown) => {
        onError(error)
        return failedMs
      })
      .then((ms) => {
        running = undefined
        if (!isStopped) timer = setTimeout(start, isWoken ? 0 : ms)
      })
  }
  timer = setTimeout(start, firstMs)

  return {
    wake() {
      if (isStopped || isWoken) return
      isWoken = true
      if (running === undefined) {
        clearTimeout(timer)
        timer = setTimeout(start, 0)
      }
    },
    async run() {
      while (running) await running
      if (!isStopped) start()
      await running
    },
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Runs `task` after `firstMs`, then `ms` after each run ends. A failed run is reported and repeated. */
export const repeatEvery = (
  ms: number,
  task: () => Promise<void>,
  onError: (error: unknown) => void,
  firstMs = ms,
): RepeatedTask => repeat(() => task().then(() => ms), onError, { firstMs, failedMs: ms })
