/**
 * Does work for many at once: what is added while a portion is being worked on waits for the next one. The promise settles with the
 * portion that it was added to.
 */
export function gather<T>(work: (portion: readonly T[]) => Promise<void>): (one: T) => Promise<void> {
  let waiting: T[] = []
  let next: Promise<void> | undefined
  let running: Promise<unknown> = Promise.resolve()

  function begin(): Promise<void> {
    const portion = running.then(() => {
      const some = waiting
      waiting = []
      next = undefined
      return work(some)
    })
    running = portion.catch(() => undefined)
    return portion
  }

  return (one) => {
    waiting.push(one)
    next ??= begin()
    return next
  }
}
