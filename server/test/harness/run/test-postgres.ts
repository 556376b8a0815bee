// The PostgreSQL servers that the tests use.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { installAndFind } from './debian-program.ts'
import { startPostgres } from './embedded-postgres.ts'
import {
  copyPostgresTemplate,
  makePostgresData,
  makePostgresTemplate,
  removePostgresTemplate,
} from './test-templates.ts'

/** A server for tests. */
export interface TestPostgres {
  readonly url: string
  /** Environment variables for the tests. */
  readonly env: Readonly<Record<string, string>>
  /** Its main process, unless it was given. */
  readonly processId?: number
  remove(): Promise<void>
}

export interface PreparedPostgres {
  readonly version: string
  /** Starts a server for one worker: on a shared one, a transaction of one test holds up the readers of another's events. */
  start(): Promise<TestPostgres>
  remove(): Promise<void>
}

/** No test crashes these servers; those that do start one with durable settings. */
const quickSettings = ['fsync=off', 'full_page_writes=off', 'max_wal_size=1GB']

/**
 * Prepares servers: Debian's, which has JIT like most servers in use, else the one from npm. With TEST_DATABASE_URL that one is used,
 * by all workers. Rejects if there is none for this machine.
 */
export async function preparePostgres(scratch: string): Promise<PreparedPostgres> {
  const { TEST_DATABASE_URL: given } = process.env
  const programs = given === undefined ? findOrInstall(() => findNewest('lib/llvmjit.so')) : undefined
  const [fromNpm, fromDebian] = await Promise.all([
    makePostgresData(scratch),
    programs && makePostgresData(scratch, programs),
  ])
  const environment = (url: string, template: string) => ({
    TEST_ENGINE: 'postgres',
    TEST_DATABASE_URL: url,
    TEST_POSTGRES_TEMPLATE: template,
    // For servers that tests start themselves.
    TEST_POSTGRES_DATA: fromNpm,
  })
  if (given !== undefined) {
    const template = await makePostgresTemplate(given)
    return {
      version: 'the one in TEST_DATABASE_URL',
      start: async () => ({ url: given, env: environment(given, template), remove: async () => undefined }),
      remove: () => removePostgresTemplate(given, template),
    }
  }
  return {
    version: programs === undefined ? 'from npm, without JIT' : `Debian's, with JIT`,
    async start() {
      const server = await startPostgres(undefined, {
        programs,
        prepared: fromDebian ?? fromNpm,
        settings: quickSettings,
      })
      const template = await copyPostgresTemplate(server.url)
      return {
        url: server.url,
        env: environment(server.url, template),
        processId: server.processId(),
        remove: server.remove,
      }
    },
    remove: async () => undefined,
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
