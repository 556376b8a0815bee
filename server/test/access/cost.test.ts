import { afterAll, beforeAll, expect, test } from 'bun:test'
import { flood, tally } from '../harness/flood.ts'
import { type Service, startService } from '../harness/service.ts'
import { leastStatementsOf } from './statements.ts'

// What a call costs the database before its own work begins. On one engine the counters are in memory, on the other shared.

const asked = process.env.TEST_ENGINE === 'postgres' ? 1 : 0

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

test('a key that insists while it is banned costs no statement', async () => {
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 100)
  const insist = async () => {
    const answers = await flood(client, 50)
    expect(tally(answers)).toEqual({ key_banned: 50 })
    expect(new Set(answers.map(({ headers }) => headers.get('x-ratelimit-remaining')))).toEqual(new Set(['0']))
  }
  expect(await leastStatementsOf(service, insist)).toEqual([])
})

test('GET /limits asks the counters once and nothing else, banned or not', async () => {
  const client = await service.newClient({ plan: 'free' })
  const ask = async () => expect((await client.get('/limits')).status).toBe(200)
  expect(await leastStatementsOf(service, ask)).toHaveLength(asked)
  await flood(client, 100)
  expect(await leastStatementsOf(service, ask)).toHaveLength(asked)
})

test('a read with a key that is known asks the counters once, and does its own work', async () => {
  const client = await service.newClient()
  const read = async () => expect((await client.get('/categories')).status).toBe(200)
  expect(await leastStatementsOf(service, read)).toHaveLength(asked + 1)
})

test('a write with a key that is known does not ask for the key again', async () => {
  const client = await service.newClient({ preset: 'staff' })
  const create = async () => expect((await client.post('/categories', { name: 'Dogs' })).status).toBe(201)
  // The category and its event.
  expect(await leastStatementsOf(service, create)).toHaveLength(asked + 2)
})
