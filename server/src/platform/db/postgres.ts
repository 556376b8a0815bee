import type { Reading } from '../lib/database-clock.ts'
import { jitter } from '../lib/random.ts'
import { dayMs } from '../lib/time.ts'
import { withTimeout } from '../lib/with-timeout.ts'
import { matchesMax } from './clauses.ts'
import { type Database, DatabaseUnavailable, type Dialect, type PoolState } from './database.ts'
import { type DatabaseObserver, unobserved } from './observer.ts'
import { parsePostgresAddress, postgresAddressForm } from './postgres-address.ts'
import { createCondition } from './postgres-condition.ts'
import { listenerOf } from './postgres-connections.ts'
import { explainFailedConnection } from './postgres-failure.ts'
import { createGroupCommit } from './postgres-group-commit.ts'
import { createListening } from './postgres-listening.ts'
import { createPool, type Pool } from './postgres-pool.ts'
import { preparesEverywhere, rejectTransactionPooling } from './postgres-pooling.ts'
import { createReads } from './postgres-reads.ts'
import { changeSchema } from './postgres-schema.ts'
import { createOpener, direct, type Session, type SessionSettings, stateOf, type Way } from './postgres-session.ts'
import { noLaterThanServerTime, serverTime } from './postgres-time.ts'
import { runInTransaction, type Work } from './postgres-transaction.ts'
import { rarePartsMax } from './search.ts'

/**
 * Longest wait for a response, including the wait for a connection; after it the work is withdrawn. With the time for the cancellation, a
 * client waits at most five seconds, as documented.
 */
const responseTimeoutMs = 4_000
const checkTimeoutMs = 1_000
const renewEveryMs = 1_000
const triesMax = 6
const retryMs = 5
const readOnlyMode = "SELECT current_setting('transaction_read_only') AS mode"
/** Writes half a megabyte to a new file, which is removed when the transaction ends. */
const fillTestTable =
  "CREATE TEMPORARY TABLE petstore_room ON COMMIT DROP AS SELECT repeat('x', 1000) AS filling FROM generate_series(1, 500)"
const serializationFailures = new Set(['40001', '40P01'])

/**
 * How many row positions are sampled to see how common a part is. Positions at the start of a page are sampled more often, because a page
 * of long rows has no others: on pages with ten rows, every second sample finds one.
 */
const samples = 256
const rowsPerPage = 60
/** A part is rare if at most this share of rows has it. */
const rareShare = 0.02

const postgresDialect: Dialect = {
  engine: 'postgres',
  clock: `SELECT ${serverTime} AS now`,
  noLaterThanNow: noLaterThanServerTime,
  hasTable: 'SELECT 1 AS found WHERE to_regclass($1) IS NOT NULL',
  // `reset_val`: not what this session has set.
  settings: 'SELECT name, reset_val AS value FROM pg_settings ORDER BY name',
  readsByBounds: true,
  forUpdate: 'FOR UPDATE',
  // A row lock gives the transaction its number. Another transaction could then get a later one, yet be first to change a row that this
  // one still waits for. An advisory lock gives none. Row locks as well: statements that lock no id in advance take only these.
  lockRows: (table, condition) =>
    `SELECT id FROM ${table} WHERE id = ANY (ARRAY(SELECT id FROM (
       SELECT id, pg_advisory_xact_lock(hashtextextended('${table} ' || id, 0)) FROM (
         SELECT id FROM ${table} WHERE id ${condition} ORDER BY id) AS wanted) AS waited_for)) ORDER BY id FOR UPDATE`,
  lockFreeRows: (table, condition) =>
    `SELECT id FROM ${table} WHERE id = ANY (ARRAY(SELECT id FROM (
       SELECT id, pg_try_advisory_xact_lock(hashtextextended('${table} ' || id, 0)) AS is_free FROM (
         SELECT id FROM ${table} WHERE id ${condition} ORDER BY id) AS wanted) AS tried WHERE is_free)) ORDER BY id
     FOR UPDATE SKIP LOCKED`,
  deleteRows: (table, _key, which) =>
    `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} ${which}))`,
  lockTable: (table) => `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE`,
  forUpdateSkippingLocked: 'FOR UPDATE SKIP LOCKED',
  // As bytes, because position() of text and LIKE compare characters again at every position.
  holds: (text, part) => `position(convert_to(${part}, 'UTF8') IN convert_to(${text}, 'UTF8')) > 0`,
  // A trigram index returns all entries of a part or none, so random rows tell how common it is. It covers letters and digits only.
  rareParts: (table, parts) => [
    `WITH seen AS MATERIALIZED (
       SELECT name_folded AS text FROM ${table} WHERE ctid = ANY (ARRAY(
         SELECT format('(%s,%s)', floor(random() * pages), floor(power(${rowsPerPage}, random())))::tid
         FROM generate_series(1, ${samples}), (
           SELECT pg_relation_size('${table}') / current_setting('block_size')::bigint AS pages) AS size))),
     counted AS (
       SELECT part, (SELECT count(*) FROM seen WHERE position(part IN text) > 0) AS rows
       FROM (VALUES ${parts.map(() => '(?)').join(', ')}) AS given(part) WHERE part ~ '^[[:alnum:]]{3}$')
     SELECT part FROM counted WHERE rows <= ${rareShare} * (SELECT count(*) FROM seen) ORDER BY rows LIMIT ${rarePartsMax}`,
    ...parts,
  ],
  // A routine, because a trigram index needs a bitmap scan, which is off in read sessions.
  holdingAll: (table, parts) => {
    const patterns = Array.from({ length: rarePartsMax }, (_, index) => `%${parts[index] ?? parts[0]}%`)
    return [`SELECT found FROM petstore_${table}_holding(?, ?, ?, ${matchesMax + 1}) AS found`, ...patterns]
  },
  integersIn: (json) => `SELECT jsonb_array_elements_text(${json}::text::jsonb)::bigint`,
  snapshot: ['SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY'],
  transactionNumber: () => 'pg_current_xact_id()::text::bigint',
  oldestUnderWay: 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint',
  committed: 'pg_current_snapshot()::text',
  timeline: 'petstore_timeline()',
  highestId: (table) => `SELECT pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')::regclass) AS highest`,
  continueIds: (table, highest) => [`SELECT setval(pg_get_serial_sequence('${table}', 'id'), ${highest})`],
}

interface PostgresOptions {
  readonly url: string
  /** The server itself, if `url` is that of a pooler that shares connections between transactions. */
  readonly directUrl?: string | undefined
  /** The most connections of this node for its work. */
  readonly connectionsMax: number
  /** How many connections the program needs in all, for the advice in an error. By default those for its work, lookups and checks. */
  readonly connectionsNeeded?: number | undefined
  /**
   * How many of them only read, in index order, so that no read waits behind a transaction. By default reads and transactions share all
   * connections.
   */
  readonly readersMax?: number
  readonly applicationName: string
  /** Whether its connections are for the counters. */
  readonly isForCounters?: boolean
  /** Opens all connections at the start instead of on demand. */
  readonly openAll?: boolean
  /** Whether single statements of one tick are sent together; not needed if the caller batches them. */
  readonly isBatched?: boolean
  /** How long a statement or a transaction may take, if not the same as in a request. */
  readonly patienceMs?: number
  /** Called when this node cannot listen for notifications; it keeps retrying. */
  readonly onListenFailure?: (error: unknown) => void
  /** Called with the server's time whenever a connection is opened. */
  readonly onTimeRead?: (reading: Reading) => void
  readonly observer?: DatabaseObserver
}

export interface PostgresDatabase extends Database {
  /** Changes how many connections there may be for work, and how many of them only read. */
  resize(connectionsMax: number, readersMax: number): void
}

/** Connects, or throws an error that says why it cannot. */
export async function openPostgres(options: PostgresOptions): Promise<PostgresDatabase> {
  const {
    url,
    directUrl,
    connectionsMax,
    connectionsNeeded = connectionsMax + 2,
    readersMax = 0,
    applicationName,
    patienceMs = responseTimeoutMs,
    openAll,
    isBatched = true,
    onListenFailure,
    onTimeRead = () => undefined,
    observer = unobserved,
    isForCounters = false,
  } = options
  const pools: Pool[] = []
  const condition = createCondition({
    read: () =>
      withTimeout(checkTimeoutMs, check<{ mode: string }>(readOnlyMode), () => new Error('no response')).then(
        ([row]) => (row?.mode === 'on' ? 'read-only' : 'ok'),
        () => 'unreachable',
      ),
    tryWrite: () => runTransaction(checking, checkTimeoutMs, (tx) => tx.query(fillTestTable)),
  })
  // A server that no longer accepts writes would return old data.
  const leaveServer = limitRate(renewEveryMs, () => {
    for (const pool of pools) pool.renew()
  })
  const openerFor = (to: string) => {
    const address = parsePostgresAddress(to)
    if (!address) throw new Error(`The database URL must have the form ${postgresAddressForm}.`)
    const onServerFailure = (error: unknown) => {
      condition.note(error)
      if (stateOf(error) === '25006') leaveServer()
    }
    return createOpener({ address, applicationName, onServerFailure, onTimeRead, observer })
  }
  const openFor = openerFor(url)
  const openDirectly = directUrl === undefined ? openFor : openerFor(directUrl)
  const settings = sessionSettings(patienceMs)
  const way = await findWay((on) => openFor(settings, on), directUrl !== undefined).catch((error: unknown) => {
    throw error instanceof DatabaseUnavailable ? explainFailedConnection(error, connectionsNeeded) : error
  })
  const open = () => openFor(settings, way)
  const openReader = () => openFor({ ...settings, ...indexesOnly }, way)

  // Connections are opened on demand. Work never uses the one for reads of keys and limits, nor the one for health checks.
  const poolOf = (name: PoolState['name'], sessionsMax: number, openOne = open) =>
    createPool({ name, open: openOne, sessionsMax, observer })
  const pool = poolOf(isForCounters ? 'counters' : 'work', Math.max(1, connectionsMax - readersMax))
  const readers = readersMax > 0 ? poolOf('reads', readersMax, openReader) : pool
  const aside = poolOf('lookups', 1)
  const checking = poolOf('checks', 1)
  pools.push(...new Set([pool, readers, aside, checking]))
  if (openAll) await pool.fill()
  const { query: check } = createReads(checking, { responseMs: checkTimeoutMs })
  const listening = createListening(
    async () => {
      const session = await openDirectly(settings)
      session.close()
      return session.server
    },
    listenerOf(applicationName),
    (error) => onListenFailure?.(error),
  )

  async function runTransaction<T>(on: Pool, workMs: number, work: Work<T>, allowed?: Promise<void>): Promise<T> {
    const deadlineAt = performance.now() + workMs
    const { value, notices } = await runInTransaction(on, { dialect: postgresDialect, deadlineAt, work, allowed })
    // The server notifies this node too, but a moment later: a client that has its response must not see old cached data.
    for (const [channel, payload] of notices) listening.notify(channel, payload)
    return value
  }

  const groups = createGroupCommit({ observer, run: tryTransaction })
  const transaction: Database['transaction'] = (work, allowed, first) =>
    first ? groups.join(work, allowed, first) : tryTransaction(performance.now(), work, allowed)

  async function tryTransaction<T>(startedAt: number, work: Work<T>, allowed?: Promise<void>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await runTransaction(pool, patienceMs - (performance.now() - startedAt), work, allowed)
      } catch (error) {
        if (!serializationFailures.has(stateOf(error)) || tries === triesMax) throw error
        observer.retried()
        // Two transactions conflicted; a moment later they probably will not.
        await new Promise((resolve) => setTimeout(resolve, jitter(retryMs * 2 ** tries)))
      }
    }
  }

  async function close(): Promise<void> {
    listening.close()
    await Promise.all(pools.map((pool) => pool.close()))
  }

  return {
    dialect: postgresDialect,
    ...createReads(readers, { responseMs: patienceMs, isBatched }),
    transaction,
    urgently: (work) => transaction(work),
    async changeSchema(work, report) {
      // Without a timeout.
      const session = await openDirectly(sessionSettings(0))
      try {
        return await changeSchema({ dialect: postgresDialect, query: session.run }, work, report, check)
      } finally {
        session.close()
      }
    },
    exclusively: (work) =>
      runTransaction(pool, dayMs, async (tx) => {
        await tx.query('SET LOCAL statement_timeout = 0')
        await tx.query('SET LOCAL idle_in_transaction_session_timeout = 0')
        // Not the schema lock: a node that has no migration to run may start while another migrates.
        await tx.query("SELECT pg_advisory_xact_lock(hashtextextended('petstore contents', 0))")
        return work(tx)
      }),
    aside: { dialect: postgresDialect, query: createReads(aside, { responseMs: patienceMs }).query },
    hasRoomFor: (kind) => (kind === 'read' ? readers : pool).hasRoom(),
    waiting: () => [...new Set([pool, readers])].reduce((sum, { waiting }) => sum + waiting, groups.waiting),
    pools: () => (isForCounters ? [pool] : pools).map(({ state }) => state),
    condition: condition.check,
    listen: listening.add,
    resize(connectionsMax, readersMax) {
      pool.resize(Math.max(1, connectionsMax - readersMax))
      if (readers !== pool) readers.resize(readersMax)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** How sessions reach the server. Throws if they cannot work that way. */
async function findWay(open: (way: Way) => Promise<Session>, isPooled: boolean): Promise<Way> {
  if (isPooled) return { isPooled, isPrepared: await preparesEverywhere(() => open({ isPooled, isPrepared: true })) }
  await rejectTransactionPooling(() => open(direct))
  return direct
}

/** Runs `task` at most once per `ms`. */
function limitRate(ms: number, task: () => void): () => void {
  let doneAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - doneAt < ms) return
    doneAt = performance.now()
    task()
  }
}

/**
 * For every session. The server ends a statement or an idle transaction after `timeoutMs`; 0 means never. No statement runs long enough to
 * be worth compiling, whatever the planner estimates.
 */
const sessionSettings = (timeoutMs: number): SessionSettings => ({
  statement_timeout: String(timeoutMs),
  idle_in_transaction_session_timeout: String(timeoutMs),
  jit: 'off',
})

/**
 * For sessions that only read. Every list has an index in its order, so a page reads only the rows it needs. With old or missing
 * statistics the planner expects few rows, and would read and sort all matches, or scan a whole table.
 */
const indexesOnly: SessionSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_incremental_sort: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
}
