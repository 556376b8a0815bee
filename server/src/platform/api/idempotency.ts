import { createCipheriv, createDecipheriv, hash } from 'node:crypto'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { randomBase64 } from '../lib/random.ts'
import { hourMs } from '../lib/time.ts'
import { ApiError, apiErrors } from './errors.ts'
import type { Fault } from './faults.ts'
import type { AnyReply } from './operation.ts'
import { responsesKeptHours } from './sizes.ts'

const keptMs = responsesKeptHours * hourMs
/** Rejections by a business rule. The others can be fixed, or retried as they are, with the same key. */
const storedRejections: ReadonlySet<number> = new Set([404, 409, 422])

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

/** Identifies a request that may be sent again, and tells it from other requests with the same key. */
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
      if (error instanceof ApiError && storedRejections.has(error.status)) return { error }
      throw error
    },
  )
  const stored = 'error' in outcome ? serializeError(outcome.error) : serializeReply(outcome, request)
  tx.send(
    `INSERT INTO idempotent_responses (key_id, idempotency_key, fingerprint, status, location, body, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
       location = excluded.location, body = excluded.body, expires_at = excluded.expires_at`,
    [keyId, storedKey, fingerprint, stored.status, stored.location, stored.body, now + keptMs],
  )
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

const algorithm = 'aes-256-gcm'
const ivBytes = 12
const tagBytes = 16

/** Encrypts a text. Decrypting needs the same key and the same context. */
function seal(key: Uint8Array, text: string, context: string): string {
  const iv = Buffer.from(randomBase64(ivBytes), 'base64')
  const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(context))
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64url')
}

/** Decrypts a text; undefined if the key or the context differs. */
export function unseal(key: Uint8Array, sealed: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < ivBytes + tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes)).setAAD(Buffer.from(context))
  decipher.setAuthTag(bytes.subarray(-tagBytes))
  try {
    return decipher.update(bytes.subarray(ivBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
