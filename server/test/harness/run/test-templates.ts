// A migrated database for each engine, which tests copy instead of migrating their own.
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Database } from '../../../src/platform/db/database.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { petShop } from '../../../src/shop/index.ts'
import { startPostgres } from './embedded-postgres.ts'
import { asOrdinaryRole, createOrdinaryRole, ordinaryRole } from './ordinary-role.ts'

/** Creates a migrated SQLite file in this directory, and returns its path. */
export async function makeSqliteTemplate(directory: string): Promise<string> {
  const path = join(directory, 'template.db')
  await migrateAndClose(openSqlite(path))
  return path
}

/** Creates the data directory of a server whose database is migrated, for servers that copy it, and returns its path. */
export async function makePostgresData(directory: string, programs?: string): Promise<string> {
  const home = join(directory, programs === undefined ? 'postgres' : 'postgres-of-debian')
  const server = await startPostgres(home, { programs, settings: ['fsync=off'] })
  await createOrdinaryRole(server.url)
  await onServer(server.url, `ALTER DATABASE postgres OWNER TO ${ordinaryRole}`)
  await migratePostgres(asOrdinaryRole(server.url))
  await server.stop('SIGINT')
  return join(home, 'data')
}

/** Creates a migrated database on this server, and returns its name. */
export async function makePostgresTemplate(server: string): Promise<string> {
  const name = `petstore_template_${process.pid}`
  await createOrdinaryRole(server)
  await onServer(server, `CREATE DATABASE ${name} OWNER ${ordinaryRole}`)
  await migratePostgres(asOrdinaryRole(databaseOn(server, name)))
  return name
}

/** The same from a server's own database, if that is migrated. */
export async function copyPostgresTemplate(server: string): Promise<string> {
  const name = 'petstore_template'
  // A database is copied while nobody is connected to it.
  await onServer(databaseOn(server, 'template1'), `CREATE DATABASE ${name} TEMPLATE postgres`)
  return name
}

export const removePostgresTemplate = (server: string, name: string): Promise<void> =>
  onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)

function databaseOn(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

const migratePostgres = async (url: string) =>
  migrateAndClose(await openPostgres({ url, connectionsMax: 1, applicationName: 'petstore-template' }))

async function migrateAndClose(db: Database): Promise<void> {
  await migrate(db, Date.now(), petShop.migrations)
  await db.close()
}

async function onServer(url: string, statement: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe(statement)
  await sql.close()
}
