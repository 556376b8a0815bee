import type { Database, PoolState } from '../db/database.ts'
import type { DatabaseObserver } from '../db/observer.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import type { Log } from './log.ts'
import type { Metrics, Reading } from './metrics.ts'

/** How many statement texts are cached with their names; list queries have many texts. */
const textsMax = 2_000
/** More names than the service has; any beyond these share one. */
const namesMax = 300
const codesMax = 50
const writesBounds = [1, 2, 5, 10, 25, 50, 100, 250]
/** How many characters of a slow statement are logged. */
const loggedMax = 500

interface Timing {
  readonly name: string
  count: number
  ms: number
  slow: number
}

interface Dependencies {
  readonly metrics: Metrics
  readonly log: Log
  /** A statement that takes longer is logged. */
  readonly slowMs: number
}

/** Measures what a database does: statements by name, commits, errors, retried and rejected work. */
export function observeDatabase({ metrics, log, slowMs }: Dependencies): DatabaseObserver {
  const byText = new BoundedMap<string, Timing>(textsMax)
  const byName = new Map<string, Timing>()
  const errors = new Map<string, number>()
  const counts = { retried: 0, shed: 0 }
  const isVerbose = log.isEnabled('debug')

  function timingOf(sql: string): Timing {
    const given = nameStatement(sql)
    const name = byName.size < namesMax || byName.has(given) ? given : 'other'
    const timing = byName.getOrInsertComputed(name, () => ({ name, count: 0, ms: 0, slow: 0 }))
    byText.set(sql, timing)
    return timing
  }

  const addByStatement = (name: string, help: string, pick: (timing: Timing) => number) =>
    metrics.add({
      name,
      help,
      kind: 'counter',
      labels: ['statement'],
      read: () => byName.values().map((timing): Reading => [pick(timing), timing.name]),
    })
  addByStatement('petstore_statements_total', 'Statements run, by name.', ({ count }) => count)
  addByStatement('petstore_statement_seconds_total', 'Time that statements took, by name.', ({ ms }) => ms / 1000)
  addByStatement('petstore_slow_statements_total', 'Statements that took longer than SLOW_STATEMENT_MS.', (t) => t.slow)
  metrics.add({
    name: 'petstore_database_errors_total',
    help: "Failed statements by SQLite's or PostgreSQL's code; violated constraints are not counted.",
    kind: 'counter',
    labels: ['code'],
    read: () => errors.entries().map(([code, count]): Reading => [count, code]),
  })
  const addCount = (name: string, help: string, count: keyof typeof counts) =>
    metrics.add({ name, help, kind: 'counter', read: () => counts[count] })
  addCount('petstore_database_retries_total', 'Transactions repeated because another one was in the way.', 'retried')
  addCount('petstore_database_shed_total', 'Reads and transactions rejected because they would wait too long.', 'shed')
  const observeCommit = metrics.addHistogram({
    name: 'petstore_commit_duration_seconds',
    help: 'Time of a commit: on SQLite writing the log to the disk, on PostgreSQL the response of the server.',
  })()
  const observeWrites = metrics.addHistogram({
    name: 'petstore_commit_writes',
    help: 'Transactions that shared one commit. On PostgreSQL only those that name the row they lock first.',
    bounds: writesBounds,
  })()

  return {
    ran(sql, ms) {
      const timing = byText.get(sql) ?? timingOf(sql)
      timing.count++
      timing.ms += ms
      if (sql === 'COMMIT') observeCommit(ms / 1000)
      if (isVerbose) log.write('debug', 'statement', { statement: timing.name, ms: rounded(ms) })
      if (ms < slowMs) return
      timing.slow++
      log.write('warn', 'slow statement', { reason: timing.name, ms: rounded(ms), sql: sql.slice(0, loggedMax) })
    },
    failed(code) {
      const given = code === '' ? 'none' : code
      const known = errors.size < codesMax || errors.has(given) ? given : 'other'
      errors.set(known, (errors.get(known) ?? 0) + 1)
    },
    retried: () => void counts.retried++,
    shed: () => void counts.shed++,
    committed: observeWrites,
  }
}

const rounded = (ms: number): number => Math.round(ms * 100) / 100

/** Registers what is read from the open databases: pools, waiting work, the size of SQLite's log. */
export function addDatabaseMetrics(metrics: Metrics, db: Database, counters: Database | undefined): void {
  metrics.add({
    name: 'petstore_database_waiting',
    help: 'Reads and transactions waiting for the database.',
    kind: 'gauge',
    read: db.waiting,
  })
  const { log } = db
  if (log) {
    metrics.add({
      name: 'petstore_sqlite_log_bytes',
      help: 'Size of the write-ahead log of SQLite.',
      kind: 'gauge',
      read: log.bytes,
    })
  }
  if (!counters) return
  const addByPool = (name: string, help: string, pick: (pool: PoolState) => number) =>
    metrics.add({
      name,
      help,
      kind: 'gauge',
      labels: ['pool'],
      read: () => [...db.pools(), ...counters.pools()].map((pool): Reading => [pick(pool), pool.name]),
    })
  addByPool('petstore_pool_connections', 'Open connections, by purpose.', ({ open }) => open)
  addByPool('petstore_pool_connections_used', 'Connections in use, by purpose.', ({ used }) => used)
  addByPool('petstore_pool_connections_max', 'The most connections, by purpose.', ({ max }) => max)
  addByPool(
    'petstore_pool_waiting',
    'Reads and transactions waiting for a connection, by purpose.',
    (pool) => pool.waiting,
  )
}

/** What is written to which table. `UPDATE` counts as a verb only, not in FOR UPDATE or ON CONFLICT DO UPDATE. */
const writes = /(?<!\bFOR |\bDO )\b(INSERT INTO|UPDATE|DELETE FROM) (\w+)/g
const reads = /\bFROM (?!\()(\w+)|\bSELECT (\w+)\(/

const shortVerbs: Record<string, string> = { 'INSERT INTO': 'INSERT', 'DELETE FROM': 'DELETE' }

/**
 * A short name for a statement: what it does to which table, such as `SELECT api_keys` or `INSERT events`. It contains only words from our
 * own SQL, so there are few names, whatever clients send.
 */
export function nameStatement(sql: string): string {
  const written = [...sql.matchAll(writes)].map(([, verb = '', table]) => `${shortVerbs[verb] ?? verb} ${table}`)
  if (written.length > 0) return [...new Set(written)].join(', ')
  const [, table, routine] = reads.exec(sql) ?? []
  const source = table ?? routine
  return source === undefined ? (/\w+/.exec(sql)?.[0] ?? 'other') : `SELECT ${source}`
}
