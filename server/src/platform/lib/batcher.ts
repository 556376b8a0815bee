/** Processes items in batches: items added while a batch runs form the next one. The promise settles with the item's batch. */
export function createBatcher<T>(processBatch: (batch: readonly T[]) => Promise<void>): (item: T) => Promise<void> {
  let waiting: T[] = []
  let next: Promise<void> | undefined
  let running: Promise<unknown> = Promise.resolve()

  function scheduleBatch(): Promise<void> {
    const done = running.then(() => {
      const batch = waiting
      waiting = []
      next = undefined
      return processBatch(batch)
    })
    running = done.catch(() => undefined)
    return done
  }

  return (item) => {
    waiting.push(item)
    next ??= scheduleBatch()
    return next
  }
}
