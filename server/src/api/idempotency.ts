import { hash } from 'node:crypto'
import type { Database, Queryable, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { hourMs } from '../lib/time.ts'
import { ApiError, type ErrorCode, type Fault } from './errors.ts'
import type { AnyReply } from './operation.ts'
import { seal, unseal } from './seal.ts'
import { answersKeptHours } from './sizes.ts'

const keptMs = answersKeptHours * hourMs

/** A field of the answer that is stored sealed, and what seals it. */
interface SealedField {
  readonly name: string
  readonly key: Uint8Array
}

interface Repeatable {
  readonly keyId: number
  readonly idempotencyKey: string
  /** The Idempotency-Key as it is stored. */
  readonly storedKey: string
  readonly fingerprint: string
  readonly sealed: SealedField | undefined
}

/** The key in the header, which may stand in quotes; undefined when it is not 1 to 255 visible characters. */
export function idempotencyKeyOf(header: string): string | undefined {
  const key = /^".*"$/.test(header) ? header.slice(1, -1) : header
  return /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined
}

/** A request that may be sent again: what tells it from others with the same key. */
export function repeatable(
  { keyId, idempotencyKey, path, body }: { keyId: number; idempotencyKey: string; path: string; body: string },
  sealed: SealedField | undefined,
): Repeatable {
  const fingerprint = hash('sha256', `POST ${path}\n${body}`, 'base64url')
  // The key that seals is derived from it, so then only its hash is stored.
  const storedKey = sealed ? hashed(idempotencyKey) : idempotencyKey
  return { keyId, idempotencyKey, storedKey, fingerprint, sealed }
}

const hashed = (idempotencyKey: string): string => `sha256:${hash('sha256', idempotencyKey, 'base64url')}`

/** Lets one request with a given Idempotency-Key at a time through this node. */
export async function alone<T>(underWay: Set<string>, request: Repeatable, work: () => Promise<T>): Promise<T> {
  const name = `${request.keyId}:${request.idempotencyKey}`
  if (underWay.has(name)) throw new ApiError('idempotency_in_progress')
  underWay.add(name)
  try {
    return await work()
  } finally {
    underWay.delete(name)
  }
}

/** What came of a call: its answer, perhaps one that was given before, or a refusal that is kept. */
export type Outcome = (AnyReply & { readonly replayed?: true }) | { readonly error: ApiError }

interface StoredRow {
  fingerprint: string
  status: number
  location: string | null
  body: string | null
}

/**
 * Does `work` once for one Idempotency-Key. The answer is kept in the same transaction as the effect, so either both
 * survive a crash or neither. A refusal by `work` is kept as well; its own statements are undone.
 */
export async function once(
  tx: Transaction,
  request: Repeatable,
  now: number,
  work: () => Awaitable<AnyReply>,
): Promise<Outcome> {
  const { keyId, idempotencyKey, storedKey, fingerprint } = request
  // Sent together, and done in this order: whoever had the lock before has stored its answer.
  const [isOurs, replayed] = await Promise.all([
    tx.tryLock(`idempotency:${keyId}:${idempotencyKey}`),
    findReplay(tx, request, now),
  ])
  if (!isOurs) throw new ApiError('idempotency_in_progress')
  if (replayed) return replayed()

  const outcome = await tx.savepoint(work).then(
    (reply) => reply,
    (error: unknown) => {
      if (error instanceof ApiError && error.status !== 400 && error.status < 500) return { error }
      throw error
    },
  )
  const kept = 'error' in outcome ? keepError(outcome.error) : keepReply(outcome, request)
  tx.send(
    `INSERT INTO idempotent_answers (key_id, idempotency_key, fingerprint, status, location, body, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
       location = excluded.location, body = excluded.body, expires_at = excluded.expires_at`,
    [keyId, storedKey, fingerprint, kept.status, kept.location, kept.body, now + keptMs],
  )
  return outcome
}

/** Gives the stored answer again, where there is one. */
export async function findReplay(
  db: Queryable,
  request: Repeatable,
  now: number,
): Promise<(() => Outcome) | undefined> {
  const { keyId, idempotencyKey } = request
  // In both forms: an operation that gives a secret may not use the key of one that gives none, nor the other way round.
  const [stored] = await db.query<StoredRow>(
    `SELECT fingerprint, status, location, body FROM idempotent_answers
     WHERE key_id = $1 AND idempotency_key IN ($2, $3) AND expires_at > $4`,
    [keyId, idempotencyKey, hashed(idempotencyKey), now],
  )
  return stored && (() => replay(stored, request))
}

function replay(stored: StoredRow, request: Repeatable): Outcome {
  if (stored.fingerprint !== request.fingerprint) throw new ApiError('idempotency_key_reused')
  const body = stored.body === null ? undefined : JSON.parse(stored.body)
  if (stored.status >= 400) {
    const headers = { 'Idempotent-Replayed': 'true' }
    const { code, message, ...faults } = body as { code: ErrorCode; message: string; faults?: Fault[] }
    return { error: new ApiError(code, message, { headers, ...faults }) }
  }
  const location = stored.location === null ? {} : { location: stored.location }
  return { status: stored.status, body: withSecret(body, request), ...location, replayed: true }
}

/** The stored body with its secret opened. */
function withSecret(body: Record<string, unknown>, { sealed, fingerprint }: Repeatable): unknown {
  if (!sealed) return body
  const secret = unseal(sealed.key, String(body[sealed.name]), fingerprint)
  if (secret !== undefined) return { ...body, [sealed.name]: secret }
  throw new ApiError(
    'idempotency_key_reused',
    'This was done before, and its answer holds a secret that only the API key secret of the first request opens. Send the same again with that one, or rotate to get a new secret.',
  )
}

const keepError = ({ status, code, message, more: { faults } }: ApiError) => ({
  status,
  location: null,
  body: JSON.stringify({ code, message, faults }),
})

function keepReply({ status, location = undefined, body }: AnyReply, { sealed, fingerprint }: Repeatable) {
  const kept = sealed ? sealIn(body as Record<string, unknown>, sealed, fingerprint) : body
  return { status, location: location ?? null, body: kept === undefined ? null : JSON.stringify(kept) }
}

const sealIn = (body: Record<string, unknown>, { name, key }: SealedField, fingerprint: string) => ({
  ...body,
  [name]: seal(key, String(body[name]), fingerprint),
})

export const forgetExpiredAnswers = (db: Database, now: number): Promise<void> =>
  forget(
    db,
    {
      table: 'idempotent_answers',
      key: 'key_id, idempotency_key',
      isOutdated: (time) => `expires_at <= ${time}`,
    },
    now,
  )
