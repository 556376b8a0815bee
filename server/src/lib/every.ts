/** Runs `task` again and again, `ms` after it last ended, until stopped. A failure is reported and does not end it. */
export function every(
  ms: number,
  task: () => Promise<void>,
  failed: (error: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout>
  let stopped = false
  const schedule = () => {
    timer = setTimeout(() => {
      running = task()
        .catch(failed)
        .then(() => {
          if (!stopped) schedule()
        })
    }, ms)
  }
  schedule()
  return {
    async stop() {
      stopped = true
      clearTimeout(timer)
      await running
    },
  }
}
