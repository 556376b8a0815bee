import { randomBytes } from 'node:crypto'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { asOrdinaryRole, ordinaryRole } from './run/ordinary-role.ts'

export interface TestDatabase {
  readonly url: string
  remove(): Promise<void>
}

interface Options {
  /** The database to copy, which no connection may use meanwhile: a name, or the path of a SQLite file. */
  readonly template?: string | undefined
  /** The locale of an empty PostgreSQL database, if not that of the server; SQLite has none. */
  readonly locale?: string | undefined
}

const onPostgres = () => process.env.TEST_ENGINE === 'postgres'

/** A new database: a file, or one in the PostgreSQL of the test run. Empty, unless it is a copy. */
export async function createTestDatabase({ template, locale }: Options = {}): Promise<TestDatabase> {
  return onPostgres() ? postgresDatabase(template, locale) : sqliteFile(template)
}

/** A copy of a database that `npm test` has migrated once, for tests that are not about migrations. */
export const createMigratedDatabase = (): Promise<TestDatabase> =>
  createTestDatabase({ template: process.env[onPostgres() ? 'TEST_POSTGRES_TEMPLATE' : 'TEST_SQLITE_TEMPLATE'] })

function sqliteFile(template: string | undefined): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-'))
  const path = join(directory, 'petstore.db')
  if (template !== undefined) copyFileSync(template, path)
  return {
    url: `sqlite:${path}`,
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

async function postgresDatabase(template: string | undefined, locale: string | undefined): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('TEST_ENGINE=postgres needs TEST_DATABASE_URL; npm test sets it.')
  const name = `petstore_test_${randomBytes(6).toString('hex')}`
  // Only template0 may be copied with another locale.
  const from = locale === undefined ? template : `template0 LOCALE '${locale}'`
  await onServer(
    server,
    `CREATE DATABASE ${name} OWNER ${ordinaryRole}${from === undefined ? '' : ` TEMPLATE ${from}`}`,
  )
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    url: asOrdinaryRole(url.href),
    remove: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  }
}

async function onServer(url: string, statement: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe(statement)
  await sql.close()
}
