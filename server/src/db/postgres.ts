import type { Reading } from '../lib/database-clock.ts'
import { jitter } from '../lib/random.ts'
import { dayMs } from '../lib/time.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { matchesMax } from './clauses.ts'
import { type Database, DatabaseUnavailable, type Dialect } from './database.ts'
import { parsePostgresAddress, postgresAddressForm } from './postgres-address.ts'
import { createCondition } from './postgres-condition.ts'
import { createListening } from './postgres-listening.ts'
import { createPool, type Pool } from './postgres-pool.ts'
import { refuseTransactionPooling } from './postgres-pooling.ts'
import { createReads } from './postgres-reads.ts'
import { changeSchema } from './postgres-schema.ts'
import { createOpener, stateOf } from './postgres-session.ts'
import { indexesOnly, sessionSettings } from './postgres-settings.ts'
import { noLaterThanServerTime, serverTime } from './postgres-time.ts'
import { inTransaction, type Work } from './postgres-transaction.ts'
import { rarePartsMax } from './search.ts'

/** Longest wait for an answer, a free connection included; past it the work is withdrawn. */
const answerTimeoutMs = 5_000
const checkTimeoutMs = 1_000
const renewEveryMs = 1_000
const attemptsMax = 6
const retryAfterMs = 5
const readOnlyMode = "SELECT current_setting('transaction_read_only') AS mode"
/** Half a megabyte in a new file, which is gone with the transaction. */
const takeRoom =
  "CREATE TEMPORARY TABLE petstore_room ON COMMIT DROP AS SELECT repeat('x', 1000) AS filling FROM generate_series(1, 500)"
const serializationFailures = new Set(['40001', '40P01'])

/**
 * Places in a table where a row is looked for, to see how common something is. Those at the beginning of a page are tried more often,
 * because a page of long rows has no others: of pages with ten rows every second place has one.
 */
const placesTried = 256
const rowsOfPage = 60
/** What at most this share of rows has is rare. */
const rareShare = 0.02

const postgresDialect: Dialect = {
  engine: 'postgres',
  clock: `SELECT ${serverTime} AS now`,
  noLaterThanNow: noLaterThanServerTime,
  hasTable: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  // Not what this session was set to.
  settings: 'SELECT name, reset_val AS value FROM pg_settings ORDER BY name',
  readsByBounds: true,
  forUpdate: 'FOR UPDATE',
  forUpdateSkippingLocked: 'FOR UPDATE SKIP LOCKED',
  // As bytes, which are compared at once: position() of text and LIKE go through the letters again at every place.
  holds: (text, part) => `position(convert_to(${part}, 'UTF8') IN convert_to(${text}, 'UTF8')) > 0`,
  // A trigram index gives all entries of a part or none, so rows at random tell how common a part is. It has letters and digits only.
  rareParts: (table, parts) => [
    `WITH seen AS MATERIALIZED (
       SELECT name_folded AS text FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT format('(%s,%s)', floor(random() * pages), floor(power(${rowsOfPage}, random())))::tid
         FROM generate_series(1, ${placesTried}), (
           SELECT pg_relation_size('${table}') / current_setting('block_size')::bigint AS pages) AS size))),
     counted AS (
       SELECT part, (SELECT count(*) FROM seen WHERE position(part IN text) > 0) AS rows
       FROM (VALUES ${parts.map(() => '(?)').join(', ')}) AS given(part) WHERE part ~ '^[[:alnum:]]{3}$')
     SELECT part FROM counted WHERE rows <= ${rareShare} * (SELECT count(*) FROM seen) ORDER BY rows LIMIT ${rarePartsMax}`,
    ...parts,
  ],
  // A routine, because only a bitmap can be made of a trigram index, and sessions that read make none otherwise; see migration 0014.
  holdingAll: (table, parts) => {
    const patterns = Array.from({ length: rarePartsMax }, (_, index) => `%${parts[index] ?? parts[0]}%`)
    return [`SELECT found FROM petstore_${table}_holding(?, ?, ?, ${matchesMax + 1}) AS found`, ...patterns]
  },
  snapshot: ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'],
  transactionNumber: () => 'pg_current_xact_id()::text::bigint',
  oldestUnderWay: 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
  timeline: 'petstore_timeline()',
  highestId: (table) => `SELECT pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')::regclass) AS highest`,
  continueIds: (table, highest) => [`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${highest})`],
}

interface PostgresOptions {
  readonly url: string
  /** Connections this node may hold for its work. */
  readonly connectionsMax: number
  /**
   * So many of them only read, in the order of indexes: no read waits behind a transaction. Where it is not said, reads and
   * transactions share all of them.
   */
  readonly readersMax?: number
  readonly applicationName: string
  /** Opens them at once, instead of each when it is first needed. */
  readonly openAll?: boolean
  /** Whether single statements of one turn of the event loop are sent together; not where whoever asks has gathered them already. */
  readonly gathers?: boolean
  /** How long a statement or a whole transaction may take, where that is not a request's. */
  readonly patienceMs?: number
  /** Told when the server refuses to notify this node, which asks again and again. */
  readonly notHeard?: (error: unknown) => void
  /** Told what time it is at the server whenever a connection is opened. */
  readonly timeRead?: (reading: Reading) => void
}

/** Connects, or says in a sentence why it cannot. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const {
    url,
    connectionsMax,
    readersMax = 0,
    applicationName,
    patienceMs = answerTimeoutMs,
    openAll,
    gathers = true,
    notHeard,
    timeRead = () => undefined,
  } = options
  const address = parsePostgresAddress(url)
  if (!address) throw new Error(`The address of the database must be ${postgresAddressForm}.`)
  const pools: Pool[] = []
  const condition = createCondition({
    look: () =>
      withTimeout(checkTimeoutMs, check<{ mode: string }>(readOnlyMode), () => new Error('no answer')).then(
        ([row]) => (row?.mode === 'on' ? 'read-only' : 'ok'),
        () => 'unreachable',
      ),
    tryOut: () => begin(checking, checkTimeoutMs, (tx) => tx.query(takeRoom)),
  })
  // Reading on from a server that takes no writes any more would be reading the past.
  const leaveServer = atMostEvery(renewEveryMs, () => {
    for (const each of pools) each.renew()
  })
  const openFor = createOpener({
    address,
    applicationName,
    failed(error) {
      condition.note(error)
      if (stateOf(error) === '25006') leaveServer()
    },
    timeRead,
  })
  const settings = sessionSettings(patienceMs)
  const open = () => openFor(settings)
  const openReader = () => openFor({ ...settings, ...indexesOnly })
  // For what takes as long as it takes.
  const openForLong = () => openFor(sessionSettings(0))
  await refuseTransactionPooling(open).catch((error: unknown) => {
    if (!(error instanceof DatabaseUnavailable)) throw error
    const reason = error.cause instanceof Error ? error.cause.message : error.cause
    throw new Error(
      `The database cannot be reached (${reason}). Start PostgreSQL, or set DATABASE_URL to where it runs.`,
    )
  })

  // Connections are opened when they are first needed. Work never gets the one for reading aside, nor the one for checking.
  const pool = createPool(open, Math.max(1, connectionsMax - readersMax))
  const readers = readersMax > 0 ? createPool(openReader, readersMax) : pool
  const aside = createPool(open, 1)
  const checking = createPool(open, 1)
  pools.push(...new Set([pool, readers, aside, checking]))
  if (openAll) await pool.fill()
  const check = createReads(checking, { answerMs: checkTimeoutMs })
  const listening = createListening(
    async () => {
      const session = await open()
      session.close()
      return session.server
    },
    applicationName,
    (error) => notHeard?.(error),
  )

  async function begin<T>(on: Pool, workMs: number, work: Work<T>, allowed?: Promise<void>): Promise<T> {
    const deadlineAt = performance.now() + workMs
    const { value, notices } = await inTransaction(on, { dialect: postgresDialect, deadlineAt, work, allowed })
    // The server tells this node too, but a moment later; a caller that has its answer must not find the old state here.
    for (const [channel, payload] of notices) listening.tell(channel, payload)
    return value
  }

  async function transaction<T>(work: Work<T>, allowed?: Promise<void>): Promise<T> {
    const startedAt = performance.now()
    for (let attempts = 1; ; attempts++) {
      try {
        return await begin(pool, patienceMs - (performance.now() - startedAt), work, allowed)
      } catch (error) {
        if (!serializationFailures.has(stateOf(error)) || attempts === attemptsMax) throw error
        // Two transactions got in each other's way; a moment later they will not.
        await new Promise((resolve) => setTimeout(resolve, jitter(retryAfterMs * 2 ** attempts)))
      }
    }
  }

  return {
    dialect: postgresDialect,
    query: createReads(readers, { answerMs: patienceMs, gathers }),
    transaction,
    urgently: transaction,
    async changeSchema(work, tell) {
      const session = await openForLong()
      try {
        return await changeSchema({ dialect: postgresDialect, query: session.run }, work, tell, check)
      } finally {
        session.close()
      }
    },
    async exclusively(work) {
      const own = createPool(openForLong, 1)
      try {
        return await begin(own, dayMs, async (tx) => {
          // Not the lock of the schema: a node that has nothing to change there starts while another changes it.
          await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('petstore contents', 0))")
          return work(tx)
        })
      } finally {
        await own.close()
      }
    },
    aside: { dialect: postgresDialect, query: createReads(aside, { answerMs: patienceMs }) },
    hasRoomFor: (kind) => (kind === 'read' ? readers : pool).hasRoom(),
    waiting: () => [...new Set([pool, readers])].reduce((sum, each) => sum + each.waiting, 0),
    condition: condition.read,
    listen: listening.add,
    async close() {
      listening.close()
      await Promise.all(pools.map((each) => each.close()))
    },
  }
}

/** `task`, unless it has just been done. */
function atMostEvery(ms: number, task: () => void): () => void {
  let doneAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - doneAt < ms) return
    doneAt = performance.now()
    task()
  }
}
