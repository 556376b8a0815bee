// Dumps the schema of each engine, and adds the fingerprints of new migrations.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Database } from '../server/src/platform/db/database.ts'
import { migrate } from '../server/src/platform/db/migrate.ts'
import { openPostgres } from '../server/src/platform/db/postgres.ts'
import { openSqlite } from '../server/src/platform/db/sqlite.ts'
import { petShop } from '../server/src/shop/index.ts'
import { startPostgres } from '../server/test/harness/run/embedded-postgres.ts'
import { dumpFile, dumpSchema, fingerprints, fingerprintsFile } from './schema-dump.ts'

async function write(db: Database): Promise<void> {
  await migrate(db, 0, petShop.migrations)
  await Bun.write(dumpFile(db.dialect.engine), await dumpSchema(db))
  await db.close()
}

const home = mkdtempSync(join(tmpdir(), 'petstore-schema-'))
const server = await startPostgres()
try {
  await write(openSqlite(join(home, 'petstore.db')))
  await write(await openPostgres({ url: server.url, connectionsMax: 1, applicationName: 'petstore-schema' }))
} finally {
  await server.remove()
  rmSync(home, { recursive: true, force: true })
}

// Existing fingerprints are kept: a released migration must not change.
const known = await Bun.file(fingerprintsFile).json()
await Bun.write(fingerprintsFile, `${JSON.stringify({ ...fingerprints(), ...known }, null, 2)}\n`)
process.exit(0)
