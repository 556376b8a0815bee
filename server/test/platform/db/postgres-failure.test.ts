import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { examine } from '../../../src/commands/doctor.ts'
import { type PostgresServer, startPostgres } from '../../harness/run/embedded-postgres.ts'
import { runService } from '../../harness/run/run-service.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')('a PostgreSQL that rejects connections', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres(undefined, { settings: ['fsync=off', 'max_connections=5'] })
  })
  afterAll(() => server.remove())

  const changed = (change: (url: URL) => void) => {
    const url = new URL(server.url)
    change(url)
    return url.href
  }
  /** What a node that cannot start says. */
  async function saidBy(env: Record<string, string>): Promise<string> {
    await using node = runService({ env })
    expect(await node.exited).toBe(1)
    return node.failure()
  }
  /** What doctor says about the database. */
  const checked = async (url: string) =>
    (await examine({ env: { DATABASE_URL: url, PORT: '1' }, now: Date.now })).find(({ check }) => check === 'database')

  test('because all are taken: the advice says how many the node needs', async () => {
    await using others = new SQL(server.url, { max: 3 })
    await Promise.all([others.reserve(), others.reserve(), others.reserve()])
    const said = await saidBy({ DATABASE_URL: server.url, DATABASE_CONNECTIONS: '12' })
    expect(said).toMatch(
      /PostgreSQL rejected the connection \(.*too many clients.*\)\. This program needs up to 12 connections: raise max_connections/,
    )
    expect(await checked(server.url)).toMatchObject({
      state: 'error',
      advice: expect.stringMatching(/^This program needs up to 3 connections: raise max_connections/),
    })
  })

  test('because the database does not exist', async () => {
    const url = changed((url) => {
      url.pathname = '/nowhere'
    })
    const said = 'PostgreSQL rejected the connection (database "nowhere" does not exist).'
    const advice = 'Create that database, or set DATABASE_URL to one that exists.'
    expect(await saidBy({ DATABASE_URL: url })).toContain(`${said} ${advice}`)
    expect(await checked(url)).toEqual({ check: 'database', state: 'error', says: said, advice })
  })

  test('because of the password, on one of several servers', async () => {
    const url = changed((url) => {
      url.password = 'wrong'
    }).replace(/@([^/]+)/, '@127.0.0.1:1,$1')
    expect(await saidBy({ DATABASE_URL: url })).toMatch(
      /\(.*Failed to connect; .*password authentication failed .*\)\. Correct the user and the password in DATABASE_URL/,
    )
  })
})
