import { SQL } from 'bun'
import { entryOf } from '../lib/entry-of.ts'
import { jitter } from '../lib/random.ts'
import { within } from '../lib/within.ts'
import { likePattern } from './clauses.ts'
import {
  ConstraintViolation,
  type Database,
  DatabaseUnavailable,
  type Dialect,
  type Queryable,
  type Transaction,
  type Value,
} from './database.ts'
import { changeSchema } from './postgres-schema.ts'

const connectTimeoutSeconds = 5
const statementTimeoutMs = 10_000
/** Longest wait for an answer, a free connection included; past it the caller is told that the database is unavailable. */
const answerTimeoutMs = 15_000
const attemptsMax = 6
const retryAfterMs = 5

const postgresDialect: Dialect = {
  engine: 'postgres',
  hasTable: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  forUpdate: 'FOR UPDATE',
  containing: (table, fields, column, part) => ({
    select: `SELECT id, ${fields} FROM ${table}`,
    where: [`${column} LIKE ? ESCAPE '\\'`, likePattern(part)],
  }),
  snapshot: ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'],
  highestId: (table) => `SELECT pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')::regclass) AS highest`,
  continueIds: (table, highest) => [`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${highest})`],
}

interface PostgresOptions {
  readonly url: string
  /** Connections this node may hold. */
  readonly connectionsMax: number
  readonly applicationName: string
  /** How long a statement, and how long a whole transaction may take, where that is not a request's. */
  readonly patienceMs?: number
  /** Told when the server refuses to notify this node. */
  readonly notHeard?: (error: unknown) => void
}

export function openPostgres(options: PostgresOptions): Database {
  const { url, connectionsMax, applicationName, patienceMs, notHeard } = options
  const answerMs = patienceMs ?? answerTimeoutMs
  const statementMs = patienceMs ?? statementTimeoutMs
  const timedOut = () => new DatabaseUnavailable(`no answer within ${answerMs} ms`)
  const pool = new SQL(url, {
    max: connectionsMax,
    connectionTimeout: connectTimeoutSeconds,
    bigint: true,
    connection: {
      application_name: applicationName,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: statementMs,
    },
  })

  const listeners = new Map<string, ((payload: string) => void)[]>()

  async function begin<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const notices: Notice[] = []
    const value = (await pool.begin((connection) => work(transactionOn(connection, notices)))) as T
    // The server tells this node too, but a moment later; a caller that has its answer must not find the old state here.
    for (const [channel, payload] of notices) for (const heard of listeners.get(channel) ?? []) heard(payload)
    return value
  }

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await within(answerMs, begin(work), timedOut)
      } catch (error) {
        const reason = translate(error)
        if (!isSerializationFailure(error) || attempts === attemptsMax) throw reason
        // Two transactions got in each other's way; a moment later they will not.
        await new Promise((resolve) => setTimeout(resolve, jitter(retryAfterMs * 2 ** attempts)))
      }
    }
  }

  return {
    dialect: postgresDialect,
    query: (sql, params) => within(answerMs, run(pool, sql, params), timedOut),
    transaction,
    async changeSchema(work, tell) {
      using connection = await pool.reserve()
      const session: Queryable = { dialect: postgresDialect, query: (sql, params) => run(connection, sql, params) }
      return await changeSchema(session, work, tell)
    },
    exclusively: (work) =>
      begin(async (tx) => {
        // Others wait here for as long as it takes, and filling a database may take long.
        await tx.query('SET LOCAL statement_timeout = 0')
        // Not the lock of the schema: a node that has nothing to change there starts while another changes it.
        await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('petstore contents', 0))")
        return work(tx)
      }),
    listen(channel, heard, missed) {
      entryOf(listeners, channel, () => []).push(heard)
      // The client reconnects and subscribes again by itself; what was said meanwhile is lost, which `missed` makes up for.
      pool.listen(channel, heard, missed).catch((error: unknown) => notHeard?.(error))
    },
    condition: () =>
      within(answerMs, run(pool, 'SELECT 1'), timedOut).then(
        () => 'ok',
        () => 'unreachable',
      ),
    async close() {
      await pool.close({ timeout: 1 })
    },
  }
}

type Notice = [channel: string, payload: string]

function transactionOn(connection: Bun.TransactionSQL | Bun.SavepointSQL, notices: Notice[]): Transaction {
  let current = connection
  return {
    dialect: postgresDialect,
    query: (sql, params) => run(current, sql, params),
    async savepoint<T>(work: () => Promise<T>) {
      const outer = current
      try {
        return (await outer.savepoint((inner) => {
          current = inner
          return work()
        })) as T
      } finally {
        current = outer
      }
    },
    async tryLock(name) {
      const [row] = await run<{ taken: boolean }>(
        current,
        'SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0)) AS taken',
        [name],
      )
      return row?.taken === true
    },
    async notify(channel, payload) {
      notices.push([channel, payload])
      await run(current, 'SELECT pg_notify($1, $2)', [channel, payload])
    },
  }
}

/** One statement. 64-bit integers arrive as BigInt; every one this service stores is below 2^53. */
async function run<R>(connection: SQL, sql: string, params: readonly Value[] = []): Promise<R[]> {
  try {
    const rows = (await connection.unsafe(sql, [...params])) as Record<string, unknown>[]
    for (const row of rows) {
      for (const column in row) {
        const value = row[column]
        if (typeof value === 'bigint') row[column] = Number(value)
      }
    }
    return rows as R[]
  } catch (error) {
    throw translate(error)
  }
}

const violations: Record<string, ConstraintViolation['kind']> = {
  23503: 'foreign key',
  23514: 'check',
  23505: 'unique',
}

const stateOf = (error: unknown): string => (error instanceof SQL.PostgresError ? (error.errno ?? '') : '')

const isSerializationFailure = (error: unknown): boolean => {
  const state = stateOf(error instanceof DatabaseUnavailable ? error.cause : error)
  return state === '40001' || state === '40P01'
}

/** Connection lost, server stopping or starting, too many connections, statement cancelled, could not serialize. */
const passing = /^(08|53|57P|57014|25006|40)/

function translate(error: unknown): unknown {
  if (!(error instanceof SQL.PostgresError)) return error
  const state = stateOf(error)
  const kind = violations[state]
  if (kind) return new ConstraintViolation(kind, error)
  // Without an SQLSTATE the server never answered: refused, closed, timed out.
  return state === '' || passing.test(state) ? new DatabaseUnavailable(error) : error
}
