/** Runs of `task` follow one another: when one has ended well, all that came in before it was called is done. */
export function oneAtATime<A extends unknown[]>(task: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  let last = Promise.resolve()
  return (...args) => {
    const run = last.then(() => task(...args))
    last = run.catch(() => undefined)
    return run
  }
}
