import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'

export interface TestDatabase {
  readonly url: string
  remove(): Promise<void>
}

/** An empty database of its own: a file, or one in the PostgreSQL that the test command has started. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return process.env.TEST_ENGINE === 'postgres' ? postgresDatabase() : sqliteFile()
}

function sqliteFile(): TestDatabase {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-'))
  return {
    url: `sqlite:${join(directory, 'petstore.db')}`,
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  }
}

async function postgresDatabase(): Promise<TestDatabase> {
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error('TEST_ENGINE=postgres needs TEST_DATABASE_URL; npm test sets it.')
  const name = `petstore_test_${randomBytes(6).toString('hex')}`
  await onServer(server, `CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, remove: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function onServer(url: string, statement: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  await sql.unsafe(statement)
  await sql.close()
}
