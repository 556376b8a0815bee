import { afterAll, expect, spyOn, test } from 'bun:test'
import { copiedTables } from '../../src/platform/db/copy.ts'
import { DatabaseUnavailable } from '../../src/platform/db/database.ts'
import { minuteMs } from '../../src/platform/lib/time.ts'
import { petShop } from '../../src/shop/index.ts'
import { burstMs, getBanned } from '../harness/flood.ts'
import { type Client, type Service, startService } from '../harness/service.ts'
import { bodyOf, newIds, pathOf, pathOfNothing } from './example-request.ts'

// What every operation returns when the quota is used up or the key is banned, when the service has a bug, and when its database is
// unavailable or lost during a commit.

const services: Service[] = []
async function start(): Promise<Service> {
  const service = await startService({ env: { LOG_LEVEL: 'error' } })
  services.push(service)
  return service
}
afterAll(async () => {
  for (const service of services) await service.stop()
})

const limited = await start()
const broken = await start()
const cutOff = await start()
const unsure = await start()

/** Its key is already cached, so that only the operation itself can fail. */
async function knownClient(service: Service): Promise<Client> {
  const client = await service.newClient({ preset: 'admin' })
  await client.get('/limits')
  return client
}

/** GET /limits reads only the key from the database, so it fails only for a key that is not cached. */
const callersOf = ({ id }: { id: string }, known: Client, unknown: Client) =>
  id === 'getLimits' ? [unknown] : [known, unknown]

const brokenIds = await newIds(broken.admin)
const brokenClient = await knownClient(broken)
const brokenUncached = await broken.newClient({ preset: 'admin' })
await broken.context.db.transaction(async (tx) => {
  // Limits and stored responses still work, so that the operation itself fails.
  const working = [
    'settings',
    'rate_counters',
    'idempotent_responses',
    'bans',
    'usage_hours',
    'usage_days',
    'usage_changes',
  ]
  const names = [...copiedTables(petShop.tables).map(({ name }) => name), 'pet_counts']
  for (const table of names.filter((name) => !working.includes(name))) {
    await tx.query(`ALTER TABLE ${table} RENAME TO ${table}_gone`)
  }
})

const cutOffIds = await newIds(cutOff.admin)
const cutOffClient = await knownClient(cutOff)
const cutOffUncached = await cutOff.newClient({ preset: 'admin' })
await cutOff.context.db.close()

const unsureIds = await newIds(unsure.admin)

const noRoom = { plan: 'enterprise', limits: { perMinute: 1, perDay: 1_000 }, preset: 'admin' }
const exhausted = await limited.newClient({ ...noRoom, limits: { perMinute: 1, perDay: 1 } })
await exhausted.get('/pets')
const banned = await limited.newClient(noRoom)
await getBanned(limited, banned)
limited.clock.set(Math.ceil(limited.clock.now() / minuteMs) * minuteMs)
const metered = limited.contract.operations().filter(({ id }) => id !== 'getLimits')

test.each(metered)('$id returns 429 when the day is used up, and when the key is banned', async (operation) => {
  for (const [client, code] of [
    [exhausted, 'quota_exhausted'],
    [banned, 'key_banned'],
  ] as const) {
    const response = await client.send(operation.method, pathOfNothing(operation), bodyOf(operation, {}))
    expect([response.status, response.body.code]).toEqual([429, code])
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(60)
  }
})

for (const operation of limited.contract.operations()) {
  test(`${operation.id} returns 429 when the minute is used up`, async () => {
    const client = await limited.newClient(noRoom)
    const send = () => client.send(operation.method, pathOfNothing(operation), bodyOf(operation, {}))
    // GET /limits has a separate limit of 60.
    const room = operation.id === 'getLimits' ? 60 : 1
    for (let sent = 0; sent < room; sent++) expect((await send()).status).not.toBe(429)
    const response = await send()
    expect(response.status).toBe(429)
    expect(response.body.code).toBe('rate_limited')
    expect(response.headers.get('retry-after')).toBe('60')
    expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
  })

  test(`${operation.id} returns 500 when something is broken, without internal details`, async () => {
    for (const client of callersOf(operation, brokenClient, brokenUncached)) {
      const response = await client.send(operation.method, pathOf(operation, brokenIds), bodyOf(operation, brokenIds))
      expect(response.status).toBe(500)
      expect(response.body.code).toBe('internal_error')
      expect(response.text).not.toMatch(/table|SQL|at /)
      const logged = broken.logged.join('')
      expect(logged).toContain(response.body.requestId)
    }
  })

  test(`${operation.id} returns 503 while the database is unavailable`, async () => {
    for (const client of callersOf(operation, cutOffClient, cutOffUncached)) {
      const response = await client.send(operation.method, pathOf(operation, cutOffIds), bodyOf(operation, cutOffIds))
      expect(response.status).toBe(503)
      expect(response.body.code).toBe('unavailable')
      expect(response.headers.get('retry-after')).toBe('1')
    }
  })
}

const writes = unsure.contract.operations().filter(({ method }) => method !== 'GET')

test.each(writes)('$id returns 503 outcome_unknown if the database is lost during the commit', async (operation) => {
  const lost = new DatabaseUnavailable('lost', 'unknown')
  const transaction = spyOn(unsure.context.db, 'transaction').mockRejectedValue(lost)
  const response = await unsure.admin.send(operation.method, pathOf(operation, unsureIds), bodyOf(operation, unsureIds))
  transaction.mockRestore()
  expect([response.status, response.body.code, response.headers.get('retry-after')]).toEqual([
    503,
    'outcome_unknown',
    '1',
  ])
})

test('a read is never outcome_unknown, and the description says so', () => {
  const declaring = unsure.contract
    .operations()
    .filter(({ spec }) => spec.responses[503].$ref === '#/components/responses/WriteUnavailable')
  expect(declaring.map(({ id }) => id)).toEqual(writes.map(({ id }) => id))
})

test('a key that cannot be looked up gets the limit headers of its address, and nothing is counted', async () => {
  const remaining = async () => Number((await cutOffUncached.get('/pets')).headers.get('x-ratelimit-remaining'))
  const before = await remaining()
  expect(before).toBe(60)
  expect(await remaining()).toBe(before)
})

test('if a ban cannot be stored, the request is still rejected as over the limit', async () => {
  const service = await start()
  const client = await service.newClient({ plan: 'enterprise', limits: { perMinute: 1, perDay: 10 } })
  for (let call = 0; call < 2; call++) await client.get('/pets')
  service.clock.advance(burstMs)
  for (let strike = 0; strike < 30; strike++) expect((await client.get('/pets')).body.code).toBe('rate_limited')
  await service.context.db.close()
  const response = await client.get('/pets')
  expect([response.status, response.body.code]).toEqual([429, 'rate_limited'])
  expect(response.headers.get('x-ratelimit-limit')).toBe('1')
  expect(response.headers.get('x-ratelimit-remaining')).toBe('0')
})

test('a node that lost its database reports it on /readyz and stays healthy on /healthz', async () => {
  expect((await fetch(`${cutOff.url}/healthz`)).status).toBe(200)
  const ready = await fetch(`${cutOff.url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toMatchObject({ status: 'unavailable', database: 'unreachable' })
})
