import type { Awaitable } from '../lib/awaitable.ts'
import type { Database, Queryable, Transaction, Value } from './database.ts'
import { currentVersion, migrate, versionOf } from './migrate.ts'

interface Table {
  readonly name: string
  /** The primary key, by which the rows are read in portions. */
  readonly key: readonly string[]
}

const withId = (name: string): Table => ({ name, key: ['id'] })

/** Every table that is copied: one that refers to another comes after it. */
export const copiedTables: readonly Table[] = [
  { name: 'settings', key: ['name'] },
  withId('categories'),
  withId('pets'),
  { name: 'inventory', key: ['pet_id'] },
  withId('orders'),
  withId('order_history'),
  withId('stock_movements'),
  withId('events'),
  { name: 'event_log', key: ['one'] },
  withId('api_keys'),
  { name: 'api_key_secrets', key: ['hash'] },
  withId('bans'),
  withId('webhooks'),
  withId('webhook_deliveries'),
  withId('webhook_attempts'),
  { name: 'webhook_position', key: ['one'] },
  { name: 'idempotent_answers', key: ['key_id', 'idempotency_key'] },
  // A move must not give anybody a day's quota twice.
  { name: 'rate_counters', key: ['subject', 'period', 'starts_at'] },
  { name: 'usage_hours', key: ['key_id', 'starts_at'] },
  { name: 'usage_days', key: ['key_id', 'starts_at'] },
  withId('usage_changes'),
]

/** The schema's own list is written by the migrations; key changes are news for nodes that run now. */
export const tablesLeftOut: readonly string[] = ['schema_versions', 'key_changes', 'pet_counts', 'pet_count_changes']

const rowsAtOnce = 500

type Row = Record<string, Value>

/** Copies everything into an empty database, all of it or nothing. Tells how many rows each table has got. */
export async function copy(
  source: Database,
  target: Database,
  now: number,
  copied: (table: string, rows: number) => void,
): Promise<void> {
  await refuseOtherVersion(source, 'from')
  await migrate(target, now)
  await refuseOtherVersion(target, 'to')
  await source.transaction(async (from) => {
    for (const statement of from.dialect.snapshot) await from.query(statement)
    await target.exclusively(async (to) => {
      await refuseUnlessEmpty(to)
      for (const table of copiedTables) copied(table.name, await copyTable(from, to, table))
    })
  })
}

async function refuseOtherVersion(db: Database, side: 'from' | 'to'): Promise<void> {
  const version = await versionOf(db)
  if (version === 0) throw new Error(`The database to copy ${side} holds no pet store.`)
  if (version === currentVersion) return
  throw new Error(
    `The database to copy ${side} is at schema version ${version}, this program copies version ${currentVersion}. Copy with the version that runs on it, or start this one on it first.`,
  )
}

async function refuseUnlessEmpty(to: Transaction): Promise<void> {
  for (const { name } of copiedTables) {
    const [row] = await to.query(`SELECT 1 FROM ${name} LIMIT 1`)
    if (row) throw new Error(`The database to copy to is not empty: there are rows in ${name}. Nothing was copied.`)
  }
}

async function copyTable(from: Transaction, to: Transaction, table: Table): Promise<number> {
  let last: Row | undefined
  for (;;) {
    const rows = await nextRows(from, table, last)
    await insert(to, table.name, rows)
    if (rows.length < rowsAtOnce) break
    last = rows.at(-1)
  }
  if (table.key[0] === 'id') await continueIds(from, to, table.name)
  const [there, here] = [await count(from, table.name), await count(to, table.name)]
  if (there !== here) throw new Error(`Of ${there} rows of ${table.name} ${here} arrived. Nothing was copied.`)
  return here
}

function nextRows(from: Transaction, { name, key }: Table, last: Row | undefined): Awaitable<Row[]> {
  const columns = key.join(', ')
  const after = last && `WHERE (${columns}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`
  return from.query(
    `SELECT * FROM ${name} ${after ?? ''} ORDER BY ${columns} LIMIT ${rowsAtOnce}`,
    last ? key.map((column) => last[column] ?? null) : [],
  )
}

async function insert(to: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const values: Value[] = []
  const places = rows.map((row) => `(${columns.map((column) => `$${values.push(row[column] ?? null)}`).join(', ')})`)
  await to.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${places.join(', ')}`, values)
}

/** The ids of rows that were deleted are not given out again either. */
async function continueIds(from: Transaction, to: Transaction, table: string): Promise<void> {
  const [row] = await from.query<{ highest: number | null }>(from.dialect.highestId(table))
  if (row?.highest == null) return
  for (const statement of to.dialect.continueIds(table, row.highest)) await to.query(statement)
}

async function count(db: Queryable, table: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
  return row?.count ?? 0
}
