import { newIdempotencyKey, PetStoreError } from '@petstore/sdk'

/** Whether the service may have made the change all the same. */
const isOutcomeUnknown = (error: unknown): boolean =>
  error instanceof PetStoreError &&
  (error.status === 0 || error.status >= 500 || error.code === 'idempotency_in_progress')

/**
 * Returns a function that sends a change with an Idempotency-Key. If its outcome is unknown and the user sends the same input again,
 * it has the same key, so the change is made once.
 */
export function createAttempts() {
  let last: { readonly input: string; readonly key: string } | undefined
  return async <T>(input: unknown, send: (idempotencyKey: string) => Promise<T>): Promise<T> => {
    const text = JSON.stringify(input)
    if (last?.input !== text) last = { input: text, key: newIdempotencyKey() }
    try {
      const sent = await send(last.key)
      last = undefined
      return sent
    } catch (error) {
      if (!isOutcomeUnknown(error)) last = undefined
      throw error
    }
  }
}
