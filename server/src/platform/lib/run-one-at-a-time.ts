/** Wraps `task` so that runs never overlap: a run that succeeds has processed everything added before it was requested. */
export function runOneAtATime<A extends unknown[]>(task: (...args: A) => Promise<void>): (...args: A) => Promise<void> {
  let last = Promise.resolve()
  return (...args) => {
    const run = last.then(() => task(...args))
    last = run.catch(() => undefined)
    return run
  }
}
