// The PostgreSQL that the tests use.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installAndFind } from './debian-program.ts'
import { startPostgres } from './embedded-postgres.ts'
import { makePostgresTemplate } from './test-templates.ts'

export interface TestPostgres {
  /** Environment variables for the tests. */
  readonly env: Readonly<Record<string, string>>
  readonly version: string
  remove(): Promise<void>
}

/** No test crashes the shared server; those that do start one with durable settings. */
const quickSettings = ['fsync=off', 'full_page_writes=off', 'max_wal_size=1GB']

/**
 * The server in TEST_DATABASE_URL, else Debian's, which has JIT like most servers in use, else the one from npm. Rejects if there is
 * none for this machine.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  const { TEST_DATABASE_URL: given } = process.env
  if (given !== undefined) return withTemplate(given, 'the one in TEST_DATABASE_URL', async () => undefined)
  const programs = findOrInstall(() => findNewest('lib/llvmjit.so'))
  const server = await startPostgres(undefined, { programs, settings: quickSettings })
  return withTemplate(server.url, programs ? `Debian's, with JIT` : 'from npm, without JIT', server.remove)
}

async function withTemplate(url: string, version: string, removeServer: () => Promise<void>): Promise<TestPostgres> {
  const template = await makePostgresTemplate(url)
  return {
    env: { TEST_ENGINE: 'postgres', TEST_DATABASE_URL: url, TEST_POSTGRES_TEMPLATE: template.name },
    version,
    async remove() {
      await template.remove()
      await removeServer()
    },
  }
}

/** The programs of Debian's newest PostgreSQL, with pg_dump and the like, which the one from npm lacks. Installed if it can be. */
export const debianPostgres = (): string | undefined => findOrInstall(() => findNewest('bin/pg_basebackup'))

const findOrInstall = (find: () => string | undefined): string | undefined =>
  find() ?? installAndFind(['postgresql'], find, keepMainClusterOff)

/** The programs of Debian's newest PostgreSQL that has this file. */
function findNewest(file: string): string | undefined {
  const found = [...new Bun.Glob(`/usr/lib/postgresql/*/${file}`).scanSync('/')]
  const newest = found.toSorted((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1)
  const programs = newest && join(dirname(dirname(newest)), 'bin')
  return programs && existsSync(join(programs, 'postgres')) ? programs : undefined
}

/** Debian's package would create and start a cluster; the tests only need the programs. */
function keepMainClusterOff(): void {
  const folder = '/etc/postgresql-common/createcluster.d'
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'petstore-tests.conf'), 'create_main_cluster = false\n')
}
