import { afterAll, expect, test } from 'bun:test'
import { flood, getBanned, tally } from '../../harness/flood.ts'
import { startService } from '../../harness/service.ts'
import { leastStatementsOf } from './statements.ts'

// What a call costs the database before its own work starts. SQLite has its counters in memory, PostgreSQL shares them.

const counterStatements = process.env.TEST_ENGINE === 'postgres' ? 1 : 0

const service = await startService()
afterAll(() => service.stop())

test('a banned key that keeps calling costs no statement', async () => {
  const client = await service.newClient({ plan: 'free' })
  await getBanned(service, client)
  const keepCalling = async () => {
    const responses = await flood(client, 50)
    expect(tally(responses)).toEqual({ key_banned: 50 })
    expect(new Set(responses.map(({ headers }) => headers.get('x-ratelimit-remaining')))).toEqual(new Set(['0']))
  }
  expect(await leastStatementsOf(service, keepCalling)).toEqual([])
})

test('GET /limits reads the counters once and nothing else, banned or not', async () => {
  const client = await service.newClient({ plan: 'free' })
  const ask = async () => expect((await client.get('/limits')).status).toBe(200)
  expect(await leastStatementsOf(service, ask)).toHaveLength(counterStatements)
  await getBanned(service, client)
  expect(await leastStatementsOf(service, ask)).toHaveLength(counterStatements)
})

test('a read with a cached key costs one statement for the counters, and its own', async () => {
  const client = await service.newClient()
  const read = async () => expect((await client.get('/categories')).status).toBe(200)
  expect(await leastStatementsOf(service, read)).toHaveLength(counterStatements + 1)
})

test('a write with a cached key does not read the key again', async () => {
  const client = await service.newClient({ preset: 'staff' })
  const create = async () => expect((await client.post('/categories', { name: 'Dogs' })).status).toBe(201)
  // The category and its event.
  expect(await leastStatementsOf(service, create)).toHaveLength(counterStatements + 2)
})
