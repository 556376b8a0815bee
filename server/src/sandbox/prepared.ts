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

/** Shops on their first day. */
export interface PreparedShops {
  /** Writes the database of a new shop to this file. */
  copy(file: string, wanted: FirstDay): Promise<void>
}

/** Shops are prepared at this time, so that adding the time of a sandbox gives its own times. */
const zero = 0
const zeroText = new Date(zero).toISOString()

/** Loads each kind of shop once, when it is first needed. A new sandbox gets a copy, with its own key and times. */
export function createPreparedShops(shop: Shop, directory: string, config: Config): PreparedShops {
  const folder = join(directory, 'prepared')
  // An earlier version of the program may have made these.
  rmSync(folder, { recursive: true, force: true })
  const secret = newSecret()
  const made = new Map<SandboxData, Promise<string>>()

  async function prepare(data: SandboxData): Promise<string> {
    const file = join(folder, `${data}.db`)
    await using db = openSqlite(file)
    await migrate(db, zero, shop.migrations)
    await firstStart(shop, db, { ...config, sampleData: data === 'sample' }, { secret, isGenerated: false }, zero)
    return file
  }

  /** One that could not be made is tried again. */
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
      await using db = openSqlite(file)
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

/** A test compares every table with that of a shop which was loaded at the time. */
async function setTimes(tx: Transaction, tables: readonly Table[], now: number): Promise<void> {
  const values = { time: now, hour: now - (now % hourMs) }
  for (const { name, times = {} } of tables)
    for (const [column, unit] of Object.entries(times))
      await tx.query(`UPDATE ${name} SET ${column} = $1 WHERE ${column} = ${zero}`, [values[unit]])
  const text = [zeroText, new Date(now).toISOString()]
  await tx.query('UPDATE settings SET value = replace(value, $1, $2)', text)
  const events = 'UPDATE events SET at = $1, tx = tx + $2, data = replace(data, $3, $4)'
  await tx.query(events, [now, positionAt(now), ...text])
}
