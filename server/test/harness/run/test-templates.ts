// A migrated database for each engine, which tests copy instead of migrating their own.
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Database } from '../../../src/platform/db/database.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { petShop } from '../../../src/shop/index.ts'
import { startPostgres } from './embedded-postgres.ts'

/** Creates a migrated SQLite file in this directory, and returns its path. */
export async function makeSqliteTemplate(directory: string): Promise<string> {
  const path = join(directory, 'template.db')
  await migrateAndClose(openSqlite(path))
  return path
}

/** The data of a server with a migrated database, for tests that start their own; returns the environment variable for them. */
export async function makePostgresData(directory: string): Promise<Record<string, string>> {
  const home = join(directory, 'postgres')
  const server = await startPostgres(home, { settings: ['fsync=off'] })
  await migratePostgres(server.url)
  await server.stop('SIGINT')
  return { TEST_POSTGRES_DATA: join(home, 'data') }
}

export interface PostgresTemplate {
  readonly name: string
  remove(): Promise<void>
}

/** Creates a migrated database on this server. */
export async function makePostgresTemplate(server: string): Promise<PostgresTemplate> {
  const name = `petstore_template_${process.pid}`
  await onServer(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  await migratePostgres(url.href)
  return { name, remove: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
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
