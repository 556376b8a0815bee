import type { PetStoreError } from './errors.ts'

/** `console` is one. */
export interface Logger {
  /** One line for each response. */
  debug(message: string, fields: LogFields): void
  /** A retry, or a deprecated operation. */
  warn(message: string, fields: LogFields): void
}

export interface LogFields {
  /** Method and path, such as `GET /pets/{petId}`. */
  readonly operation: string
  readonly attempt?: number
  readonly status?: number
  readonly code?: string
  readonly requestId?: string | undefined
  readonly durationMs?: number
  /** How long the client waits before it tries again. */
  readonly waitMs?: number
}

interface Responded {
  readonly operation: string
  readonly attempt: number
  readonly status: number
  readonly requestId: string | undefined
  readonly durationMs: number
}

export function logResponse(logger: Logger | undefined, fields: Responded): void {
  logger?.debug(`Pet Store: ${fields.operation} returned ${fields.status} in ${fields.durationMs} ms.`, fields)
}

export function logRetry(
  logger: Logger | undefined,
  { code, status, message, requestId }: PetStoreError,
  fields: Pick<Responded, 'operation' | 'attempt'> & { readonly waitMs: number },
): void {
  const text = `Pet Store: ${fields.operation} failed, next try in ${fields.waitMs} ms: ${message}`
  logger?.warn(text, { ...fields, code, status, requestId })
}
