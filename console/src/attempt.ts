import { newIdempotencyKey, PetStoreError } from '@petstore/sdk'

const storedStatuses = new Set([404, 409, 422])

/** Whether the service keeps this rejection under the key. Any other says nothing about an earlier try, whose response may be lost. */
const isStored = (error: unknown): boolean =>
  error instanceof PetStoreError && storedStatuses.has(error.status) && error.code !== 'idempotency_in_progress'

/**
 * Returns a function that sends a change with an Idempotency-Key. The same input that is sent again after a failure has the same key, so
 * the change is made once, even if only a response was lost.
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
      if (isStored(error)) last = undefined
      throw error
    }
  }
}
