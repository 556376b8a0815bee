import { hash } from 'node:crypto'
import type { Database, Insert, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { seal, unseal } from '../lib/seal.ts'
import { hourMs } from '../lib/time.ts'
import { ApiError, apiErrors, type ErrorKind } from './errors.ts'
import type { Fault } from './faults.ts'
import type { AnyReply } from './operation.ts'
import { responsesKeptHours } from './sizes.ts'

const keptMs = responsesKeptHours * hourMs
const storedStatuses: ReadonlySet<number> = new Set([404, 409, 422])

/** Whether a rejection is by a business rule. The others can be fixed, or retried as they are, with the same key. */
export const isStored = ({ code, status }: Pick<ErrorKind, 'code' | 'status'>): boolean =>
  storedStatuses.has(status) &&
  code !== apiErrors.idempotency_in_progress.code &&
  code !== apiErrors.idempotency_key_reused.code

/** A field of the response that is stored encrypted, and the key that encrypts it. */
interface SealedField {
  readonly name: string
  readonly key: Uint8Array
}

export interface RepeatableRequest {
  readonly keyId: number
  readonly idempotencyKey: string
  /** The Idempotency-Key as it is stored. */
  readonly storedKey: string
  readonly fingerprint: string
  readonly sealed: SealedField | undefined
}

/** The key in the header, with or without quotes; undefined unless it is 1 to 255 visible characters. */
export function idempotencyKeyOf(header: string): string | undefined {
  const key = /^".*"$/.test(header) ? header.slice(1, -1) : header
  return /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined
}

/** Identifies a request that may be sent again, and tells it apart from other requests with the same key. */
export function identifyRequest(
  { keyId, idempotencyKey, path, body }: { keyId: number; idempotencyKey: string; path: string; body: string },
  sealed: SealedField | undefined,
): RepeatableRequest {
  const fingerprint = hash('sha256', `POST ${path}\n${body}`, 'base64url')
  // The encryption key is derived from it, so only its hash is stored.
  const storedKey = sealed ? hashKey(idempotencyKey) : idempotencyKey
  return { keyId, idempotencyKey, storedKey, fingerprint, sealed }
}

const hashKey = (idempotencyKey: string): string => `sha256:${hash('sha256', idempotencyKey, 'base64url')}`

/** Runs one request at a time for each Idempotency-Key on this node. */
export async function runExclusively<T>(
  running: Set<string>,
  request: RepeatableRequest,
  work: () => Promise<T>,
): Promise<T> {
  const name = `${request.keyId}:${request.idempotencyKey}`
  if (running.has(name)) throw new ApiError(apiErrors.idempotency_in_progress)
  running.add(name)
  try {
    return await work()
  } finally {
    running.delete(name)
  }
}

/** The result of an operation: a reply, perhaps a stored one, or a rejection that is stored for its Idempotency-Key. */
export type Outcome = (AnyReply & { readonly replayed?: true }) | { readonly error: ApiError }

interface StoredRow {
  fingerprint: string
  status: number
  location: string | null
  body: string | null
}

const intoResponses: Insert<
  StoredRow & { readonly key_id: number; readonly idempotency_key: string; readonly expires_at: number }
> = {
  table: 'idempotent_responses',
  columns: ['key_id', 'idempotency_key', 'fingerprint', 'status', 'location', 'body', 'expires_at'],
  replaces: ['key_id', 'idempotency_key'],
}

/**
 * Runs `work` once per Idempotency-Key. The response is stored in the same transaction as the changes, so a crash keeps both or
 * neither. A rejection by a business rule is stored too, after the statements of `work` are undone.
 */
export async function runOnce(
  tx: Transaction,
  request: RepeatableRequest,
  now: number,
  work: () => Awaitable<AnyReply>,
): Promise<Outcome> {
  const { keyId, idempotencyKey, storedKey, fingerprint } = request
  // Sent together and run in this order: a request that held the lock before has stored its response.
  const [isLocked, replayStored] = await Promise.all([
    tx.tryLock(`idempotency:${keyId}:${idempotencyKey}`),
    findReplay(tx, request, now),
  ])
  if (!isLocked) throw new ApiError(apiErrors.idempotency_in_progress)
  if (replayStored) return replayStored()

  const outcome = await tx.savepoint(work).then(
    (reply) => reply,
    (error: unknown) => {
      if (error instanceof ApiError && isStored(error)) return { error }
      throw error
    },
  )
  const stored = 'error' in outcome ? serializeError(outcome.error) : serializeReply(outcome, request)
  tx.insert(intoResponses, [
    { key_id: keyId, idempotency_key: storedKey, fingerprint, expires_at: now + keptMs, ...stored },
  ])
  return outcome
}

/** Returns a function that replays the stored response, if there is one. */
export async function findReplay(
  db: Queryable,
  request: RepeatableRequest,
  now: number,
): Promise<(() => Outcome) | undefined> {
  const { keyId, idempotencyKey } = request
  // Both forms: an operation that returns a secret may not reuse the key of one that returns none, nor the reverse.
  const [stored] = await db.query<StoredRow>(
    `SELECT fingerprint, status, location, body FROM idempotent_responses
     WHERE key_id = $1 AND idempotency_key IN ($2, $3) AND expires_at > $4`,
    [keyId, idempotencyKey, hashKey(idempotencyKey), now],
  )
  return stored && (() => replay(stored, request))
}

function replay(stored: StoredRow, request: RepeatableRequest): Outcome {
  if (stored.fingerprint !== request.fingerprint) throw new ApiError(apiErrors.idempotency_key_reused)
  const body = stored.body === null ? undefined : JSON.parse(stored.body)
  if (stored.status >= 400) {
    const headers = { 'Idempotent-Replayed': 'true' }
    const { code, message, advice, faults } = body as StoredError
    const kind = { code, status: stored.status, title: message, advice }
    return { error: new ApiError(kind, message, { headers, ...(faults && { faults }) }) }
  }
  const location = stored.location === null ? {} : { location: stored.location }
  return { status: stored.status, body: decryptSecret(body, request), ...location, replayed: true }
}

/** The stored body with its secret decrypted. */
function decryptSecret(body: Record<string, unknown>, { sealed, fingerprint }: RepeatableRequest): unknown {
  if (!sealed) return body
  const secret = unseal(sealed.key, String(body[sealed.name]), fingerprint)
  if (secret !== undefined) return { ...body, [sealed.name]: secret }
  throw new ApiError(
    apiErrors.idempotency_key_reused,
    'This request was done before, and its response contains a secret that only the API key secret of the first request can decrypt.',
    { advice: 'Send it again with that secret, or rotate to get a new one.' },
  )
}

interface StoredError {
  readonly code: string
  readonly message: string
  readonly advice: string
  readonly faults?: Fault[]
}

const serializeError = ({ status, code, what: message, advice, more: { faults } }: ApiError) => ({
  status,
  location: null,
  body: JSON.stringify({ code, message, advice, ...(faults && { faults }) } satisfies StoredError),
})

function serializeReply({ status, location = undefined, body }: AnyReply, { sealed, fingerprint }: RepeatableRequest) {
  const stored = sealed ? encryptSecret(body as Record<string, unknown>, sealed, fingerprint) : body
  return { status, location: location ?? null, body: stored === undefined ? null : JSON.stringify(stored) }
}

const encryptSecret = (body: Record<string, unknown>, { name, key }: SealedField, fingerprint: string) => ({
  ...body,
  [name]: seal(key, String(body[name]), fingerprint),
})

export const forgetExpiredResponses = (db: Database, now: number): Promise<void> =>
  forget(
    db,
    {
      table: 'idempotent_responses',
      key: 'key_id, idempotency_key',
      isOutdated: (time) => `expires_at <= ${time}`,
    },
    now,
  )
