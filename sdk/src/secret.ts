import { type ErrorFields, PetStoreError } from './errors.ts'
import { headersOf } from './response.ts'

/** The key or webhook was created, but the response is a replay without its secret. Older servers did not store it. */
export class SecretMissingError extends PetStoreError {
  override readonly name = 'SecretMissingError'
  override readonly code = 'secret_missing'
  /** The id of the key or webhook. */
  readonly id: number

  constructor(fields: ErrorFields, id: number) {
    super(fields)
    this.id = id
  }
}

/** Checks that the secret is there: without it the key or webhook is useless. */
export async function withSecret<T extends { readonly id: number; readonly secret?: string }>(
  kind: 'key' | 'webhook',
  response: Promise<T>,
): Promise<T> {
  const result = await response
  if (result.secret !== undefined) return result
  const { id } = result
  const message =
    `The secret of ${kind} ${id} is lost: an earlier try of this call took effect, and the service did not store the secret. ` +
    `Rotate ${kind} ${id} to get a new one, or ${kind === 'key' ? 'revoke' : 'delete'} it.`
  const requestId = headersOf(result)?.get('X-Request-Id') ?? undefined
  throw new SecretMissingError({ code: 'secret_missing', status: 200, message, requestId }, id)
}
