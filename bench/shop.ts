import { readConfig } from '../server/src/config.ts'
import { createKey } from '../server/src/platform/keys/create.ts'
import { systemClock } from '../server/src/platform/lib/clock.ts'
import { createLog } from '../server/src/platform/telemetry/log.ts'
import { petShop } from '../server/src/shop/index.ts'
import { start } from '../server/src/start.ts'

const most = 1_000_000_000

/** Creates a shop with a key whose limits no load reaches. On SQLite it has this many pets, each with enough stock for a load. */
export async function makeShop(databaseUrl: string, secret: string, pets: number): Promise<void> {
  const clock = systemClock()
  const config = readConfig({ PORT: '0', DATABASE_URL: databaseUrl, SAMPLE_DATA: 'false', LOG_LEVEL: 'silent' })
  const service = await start(
    petShop,
    config,
    clock,
    createLog('silent', () => undefined, clock.now),
  )
  const scopes = petShop.presets.staff ?? []
  const key = { name: 'Bench', plan: 'enterprise', scopes, limits: { perMinute: most, perDay: most } } as const
  await service.db.transaction(async (tx) => {
    await createKey(tx, { now: clock.now() }, key, secret)
    await tx.query(
      "INSERT INTO categories (id, name, name_folded, description) VALUES (1, 'Dogs', 'dogs', 'They bark.')",
    )
    const rows = (fields: string) =>
      `WITH RECURSIVE pet (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM pet WHERE id < ${pets}) SELECT ${fields} FROM pet`
    const status = "CASE id % 10 WHEN 3 THEN 'sold' WHEN 6 THEN 'pending' ELSE 'available' END"
    await tx.query(
      `INSERT INTO pets (id, name, name_folded, category_id, status, held) ${rows(`id, 'Rex ' || id, 'rex ' || id, 1, ${status}, id % 10 / 3 % 2`)}`,
    )
    await tx.query(`INSERT INTO inventory (pet_id, quantity) ${rows(`id, ${most}`)}`)
    await tx.query(
      `INSERT INTO stock_movements (pet_id, delta, cause, at) ${rows(`id, ${most}, 'registered', ${clock.now()}`)}`,
    )
  })
  await service.stop()
}
