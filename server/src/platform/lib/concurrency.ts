/** Returns a function that runs at most `max` pieces of work at a time, in the order they came. */
export function limitConcurrency(max: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < max) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The next one takes this place, so the count stays the same.
      if (next) next()
      else running--
    }
  }
}

/** Wraps `task` so that runs never overlap: a run that succeeds has processed everything added before it was requested. */
export function runOneAtATime<A extends unknown[]>(task: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  let last = Promise.resolve()
  return (...args) => {
    const run = last.then(() => task(...args))
    last = run.catch(() => undefined)
    return run
  }
}

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

/** Returns a function that makes a value when it is first called, and then keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
