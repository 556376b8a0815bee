/** Work that says, each time it is done, how many milliseconds later it is to be done again at the latest. */
export interface Again {
  /** Has it done soon: at once, or when the run that is under way has ended. */
  wake(): void
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

/** Runs `task` again and again, one run at a time, until stopped: first after `firstMs`, after a failure `failedMs` later. */
export function again(
  task: () => Promise<number>,
  failed: (error: unknown) => void,
  { firstMs = 0, failedMs = 1_000 } = {},
): Again {
  let timer: ReturnType<typeof setTimeout> | undefined
  let running: Promise<void> | undefined
  let wanted = false
  let stopped = false

  function start(): void {
    clearTimeout(timer)
    wanted = false
    running = task()
      .catch((error: unknown) => {
        failed(error)
        return failedMs
      })
      .then((ms) => {
        running = undefined
        if (!stopped) timer = setTimeout(start, wanted ? 0 : ms)
      })
  }
  timer = setTimeout(start, firstMs)

  return {
    wake() {
      if (stopped || wanted) return
      wanted = true
      if (running === undefined) {
        clearTimeout(timer)
        timer = setTimeout(start, 0)
      }
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
