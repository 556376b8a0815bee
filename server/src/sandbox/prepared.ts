import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { firstStart } from '../first-start.ts'
import type { Shop } from '../platform/compose/shop.ts'
import type { Transaction } from '../platform/db/database.ts'
import { migrate } from '../platform/db/migrate.ts'
import { openSqlite } from '../platform/db/sqlite.ts'
import type { Table } from '../platform/db/table.ts'
import { positionAt } from '../platform/events/numbering.ts'
import { displayPrefix, hashSecret, newSecret } from '../platform/keys/secret.ts'
import { hourMs } from '../platform/lib/time.ts'
import type { SandboxData } from './record.ts'

interface FirstDay {
  readonly data: SandboxData
  readonly apiKey: string
  readonly now: number
}

/** New shops, in which nothing has happened yet. */
export interface PreparedShops {
  /** Writes the database of a new shop to this file. */
  copy(file: string, wanted: FirstDay): Promise<void>
}

/** Shops are prepared at this time, so that adding the time of a sandbox gives its own times. */
const zero = 0

/** A sandbox has no past: its time begins with its clock, and all changes of its sample data have that one time. */
export const onFirstDay = (shop: Shop): Shop => ({ ...shop, sampleAgeMs: 0 })

/** Loads each kind of shop once, when it is first needed. A new sandbox gets a copy, with its own key and times. */
export function createPreparedShops(shop: Shop, directory: string, config: Config): PreparedShops {
  const folder = join(directory, 'prepared')
  // An earlier version of the program may have made these.
  rmSync(folder, { recursive: true, force: true })
  const secret = newSecret()
  const made = new Map<SandboxData, Promise<string>>()

  async function prepare(data: SandboxData): Promise<string> {
    const file = join(folder, `${data}.db`)
    await using db = openSqlite(file, { isSynced: false })
    await migrate(db, zero, shop.migrations)
    const sampleData = data === 'sample'
    await firstStart(onFirstDay(shop), db, { ...config, sampleData }, { secret, isGenerated: false }, zero)
    return file
  }

  /** If preparing it failed, it is tried again. */
  const preparedOf = (data: SandboxData): Promise<string> =>
    made.getOrInsertComputed(data, () =>
      prepare(data).catch((error: unknown) => {
        made.delete(data)
        throw error
      }),
    )

  return {
    async copy(file, { data, apiKey, now }) {
      copyFileSync(await preparedOf(data), file)
      await using db = openSqlite(file, { isSynced: false })
      await db.transaction(async (tx) => {
        await setKey(tx, secret, apiKey)
        await setTimes(tx, shop.tables, now)
      })
    },
  }
}

async function setKey(tx: Transaction, prepared: string, apiKey: string): Promise<void> {
  await tx.query('UPDATE api_key_secrets SET hash = $1', [hashSecret(apiKey)])
  await tx.query('UPDATE api_keys SET prefix = $1', [displayPrefix(apiKey)])
  await tx.query('UPDATE events SET data = replace(data, $1, $2)', [displayPrefix(prepared), displayPrefix(apiKey)])
}

/** A test compares every table with that of a shop that was loaded at that time. */
async function setTimes(tx: Transaction, tables: readonly Table[], now: number): Promise<void> {
  const changes = (await tx.query<{ at: number }>('SELECT DISTINCT at FROM events')).map(({ at }) => at)
  const columns = tables.flatMap(({ name, times = {} }) =>
    Object.entries(times).map(([column, unit]) => ({ name, column, unit })),
  )
  for (const { name, column, unit } of columns)
    if (unit === 'time') await tx.query(`UPDATE ${name} SET ${column} = ${column} + $1`, [now])
    else
      for (const at of changes)
        await tx.query(`UPDATE ${name} SET ${column} = $1 WHERE ${column} = $2`, [hourOf(at + now), hourOf(at)])
  await tx.query('UPDATE settings SET value = replace(value, $1, $2)', [textOf(zero), textOf(now)])
  for (const at of changes)
    await tx.query('UPDATE events SET data = replace(data, $1, $2) WHERE at = $3', [textOf(at), textOf(at + now), at])
  await tx.query('UPDATE events SET at = at + $1, tx = tx + $2', [now, positionAt(now)])
}

const hourOf = (time: number): number => time - (time % hourMs)
const textOf = (time: number): string => new Date(time).toISOString()
