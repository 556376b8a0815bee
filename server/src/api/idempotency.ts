import { hash } from 'node:crypto'
import type { Database, Transaction } from '../db/database.ts'
import { forget } from '../db/forget.ts'
import type { Awaitable } from '../lib/awaitable.ts'
import { hourMs } from '../lib/time.ts'
import { ApiError, type ErrorCode, type Fault } from './errors.ts'
import { type AnyReply, withoutSecret } from './operation.ts'
import { answersKeptHours } from './sizes.ts'

const keptMs = answersKeptHours * hourMs

interface Repeatable {
  readonly keyId: number
  readonly idempotencyKey: string
  readonly fingerprint: string
}

/** The key in the header, which may stand in quotes; undefined when it is not 1 to 255 visible characters. */
export function idempotencyKeyOf(header: string): string | undefined {
  const key = /^".*"$/.test(header) ? header.slice(1, -1) : header
  return /^[\x20-\x7e]{1,255}$/.test(key) ? key : undefined
}

/** A request that may be sent again: what tells it from others with the same key. */
export function repeatable(keyId: number, idempotencyKey: string, path: string, body: string): Repeatable {
  return { keyId, idempotencyKey, fingerprint: hash('sha256', `POST ${path}\n${body}`, 'base64url') }
}

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
  secretField: string | undefined,
  work: () => Awaitable<AnyReply>,
): Promise<Outcome> {
  const { keyId, idempotencyKey, fingerprint } = request
  // Sent together, and done in this order: whoever had the lock before has stored its answer.
  const [isOurs, [stored]] = await Promise.all([
    tx.tryLock(`idempotency:${keyId}:${idempotencyKey}`),
    tx.query<StoredRow>(
      `SELECT fingerprint, status, location, body FROM idempotent_answers
       WHERE key_id = $1 AND idempotency_key = $2 AND expires_at > $3`,
      [keyId, idempotencyKey, now],
    ),
  ])
  if (!isOurs) throw new ApiError('idempotency_in_progress')
  if (stored) return replay(stored, fingerprint)

  const outcome = await tx.savepoint(work).then(
    (reply) => reply,
    (error: unknown) => {
      if (error instanceof ApiError && error.status !== 400 && error.status < 500) return { error }
      throw error
    },
  )
  const kept = 'error' in outcome ? keepError(outcome.error) : keepReply(outcome, secretField)
  tx.send(
    `INSERT INTO idempotent_answers (key_id, idempotency_key, fingerprint, status, location, body, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (key_id, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint, status = excluded.status,
       location = excluded.location, body = excluded.body, expires_at = excluded.expires_at`,
    [keyId, idempotencyKey, fingerprint, kept.status, kept.location, kept.body, now + keptMs],
  )
  return outcome
}

function replay(stored: StoredRow, fingerprint: string): Outcome {
  if (stored.fingerprint !== fingerprint) throw new ApiError('idempotency_key_reused')
  const body = stored.body === null ? undefined : JSON.parse(stored.body)
  if (stored.status >= 400) {
    const headers = { 'Idempotent-Replayed': 'true' }
    const { code, message, ...faults } = body as { code: ErrorCode; message: string; faults?: Fault[] }
    return { error: new ApiError(code, message, { headers, ...faults }) }
  }
  const location = stored.location === null ? {} : { location: stored.location }
  return { status: stored.status, body, ...location, replayed: true }
}

const keepError = ({ status, code, message, more: { faults } }: ApiError) => ({
  status,
  location: null,
  body: JSON.stringify({ code, message, faults }),
})

function keepReply({ status, location = undefined, body }: AnyReply, secretField: string | undefined) {
  const shown = withoutSecret(body, secretField)
  return { status, location: location ?? null, body: shown === undefined ? null : JSON.stringify(shown) }
}

export const forgetExpiredAnswers = (db: Database, now: number): Promise<void> =>
  forget(db, {
    table: 'idempotent_answers',
    key: 'key_id, idempotency_key',
    condition: 'expires_at <= $1',
    params: [now],
  })
