import type { Awaitable } from '../lib/awaitable.ts'
import type { Database, Queryable, Transaction, Value } from './database.ts'
import { migrate, versionOf } from './migrate.ts'
import type { Migration } from './migration.ts'
import type { Table } from './table.ts'

const batchSize = 500

type Row = Record<string, Value>

/** The schema to copy, and its tables, each after those that it refers to. */
interface Schema {
  readonly migrations: readonly Migration[]
  readonly tables: readonly Table[]
}

export const copiedTables = (tables: readonly Table[]): Table[] => tables.filter(({ isDerived }) => !isDerived)

/** Copies everything into an empty database, all or nothing. `onTable` is called after each table. */
export async function copy(
  source: Database,
  target: Database,
  { migrations, tables }: Schema,
  now: number,
  onTable: (table: string, rows: number) => void,
): Promise<void> {
  const copied = copiedTables(tables)
  await rejectOtherVersion(source, 'from', migrations.length)
  await migrate(target, now, migrations)
  await rejectOtherVersion(target, 'to', migrations.length)
  await source.transaction(async (from) => {
    for (const statement of from.dialect.snapshot) await from.query(statement)
    await target.exclusively(async (to) => {
      await rejectUnlessEmpty(to, copied)
      for (const table of copied) onTable(table.name, await copyTable(from, to, table))
    })
  })
}

async function rejectOtherVersion(db: Database, side: 'from' | 'to', currentVersion: number): Promise<void> {
  const version = await versionOf(db)
  if (version === 0)
    throw new Error(`The database to copy ${side} is not a database of this service. Name one that it uses.`)
  if (version === currentVersion) return
  throw new Error(
    `The database to copy ${side} is at schema version ${version}, but this program copies version ${currentVersion}. Copy with the program version that uses it, or start this version on it first.`,
  )
}

async function rejectUnlessEmpty(to: Transaction, tables: readonly Table[]): Promise<void> {
  for (const { name } of tables) {
    const [row] = await to.query(`SELECT 1 FROM ${name} LIMIT 1`)
    if (row)
      throw new Error(
        `The database to copy to is not empty: the table ${name} has rows. Nothing was copied. Name an empty database.`,
      )
  }
}

async function copyTable(from: Transaction, to: Transaction, table: Table): Promise<number> {
  let last: Row | undefined
  for (;;) {
    const rows = await nextRows(from, table, last)
    await insert(to, table.name, rows)
    if (rows.length < batchSize) break
    last = rows.at(-1)
  }
  if (table.key.at(-1) === 'id') await continueIds(from, to, table.name)
  const [expected, copied] = [await count(from, table.name), await count(to, table.name)]
  if (expected !== copied)
    throw new Error(
      `Only ${copied} of ${expected} rows of ${table.name} arrived. Nothing was copied. Run the copy again.`,
    )
  return copied
}

function nextRows(from: Transaction, { name, key }: Table, last: Row | undefined): Awaitable<Row[]> {
  const columns = key.join(', ')
  const after = last && `WHERE (${columns}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`
  return from.query(
    `SELECT * FROM ${name} ${after ?? ''} ORDER BY ${columns} LIMIT ${batchSize}`,
    last ? key.map((column) => last[column] ?? null) : [],
  )
}

async function insert(to: Transaction, table: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const values: Value[] = []
  const tuples = rows.map((row) => `(${columns.map((column) => `$${values.push(row[column] ?? null)}`).join(', ')})`)
  await to.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples.join(', ')}`, values)
}

/** Continues the id sequence, so that ids of deleted rows are not reused. */
async function continueIds(from: Transaction, to: Transaction, table: string): Promise<void> {
  const [row] = await from.query<{ highest: number | null }>(from.dialect.highestId(table))
  if (row?.highest == null) return
  for (const statement of to.dialect.continueIds(table, row.highest)) await to.query(statement)
}

/** The number of rows in all copied tables together. */
export async function countRows(db: Queryable, tables: readonly Table[]): Promise<number> {
  let sum = 0
  for (const { name } of copiedTables(tables)) sum += await count(db, name)
  return sum
}

async function count(db: Queryable, table: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
  return row?.count ?? 0
}
