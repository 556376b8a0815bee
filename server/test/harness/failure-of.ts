/**
 * What a promise fails with. `expect(promise).rejects` is not used: it waits inside the matcher, in an event loop within the
 * event loop, and there Bun 1.4 leaves what `setImmediate` was given lying until some other timer goes off.
 */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => {
      throw new Error('expected a failure, and there was none')
    },
    (error: unknown) => error,
  )
