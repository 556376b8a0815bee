/**
 * The error a promise rejects with. Used instead of `expect(promise).rejects`, which waits in a nested event loop, where Bun 1.4
 * does not run `setImmediate` callbacks until another timer fires.
 */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('expected a failure, and there was none')
    },
    (error: unknown) => error,
  )
