import { afterAll, expect, test } from 'bun:test'
import type { Database } from '../../../src/platform/db/database.ts'
import { addUpUsage, findUsage, forgetOldUsage } from '../../../src/platform/usage/store.ts'
import { eventually } from '../../harness/eventually.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { flood, getBanned } from '../../harness/flood.ts'
import { type Client, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

const hourMs = 3_600_000
const dayMs = 24 * hourMs
let year = 2000
/** The start of a year that no other test in this file uses. */
const newYear = () => service.clock.set(Date.UTC(++year, 0, 1))

interface Entry {
  from: string
  allowed: number
  limited: number
  strikes: number
  errors: number
}

async function usageOf(client: Client, query = ''): Promise<Entry[]> {
  const { status, body } = await client.get(`/usage${query}`)
  expect(status).toBe(200)
  return body
}

const used = (entries: Entry[]) => entries.filter(({ allowed, limited }) => allowed + limited > 0)

test('counts allowed and limited requests, and which of the allowed failed', async () => {
  newYear()
  const client = await service.newClient({ plan: 'free' })
  await client.get('/pets')
  await client.get('/pets/987654321')
  await client.get('/no/such/path')
  await client.get('/pets?limit=0')
  await flood(client, 60)
  const from = new Date(service.clock.now()).toISOString()
  service.clock.advance(60_000)
  expect(used(await usageOf(client))).toEqual([{ from, allowed: 60, limited: 4, errors: 3, strikes: 0 }])
})

test('24 hours by default, oldest first, with an entry for every hour including the current one', async () => {
  newYear()
  const client = await service.newClient({ plan: 'free' })
  await client.get('/pets')
  for (const now of [service.clock.now(), service.clock.now() + 1, service.clock.now() + hourMs - 1]) {
    service.clock.set(now)
    const entries = await usageOf(client)
    const starts = entries.map(({ from }) => Date.parse(from))
    expect(starts).toEqual(Array.from({ length: 24 }, (_, hour) => Date.UTC(year, 0, 1) - (23 - hour) * hourMs))
    expect(entries.at(-1)?.allowed).toBeGreaterThan(0)
    expect(entries.at(0)).toMatchObject({ allowed: 0, limited: 0, errors: 0 })
  }
})

test('per day: 30 days by default, and the hours of a day add up to it', async () => {
  newYear()
  const client = await service.newClient()
  const start = service.clock.now()
  for (const [hour, count] of [
    [0, 3],
    [5, 4],
    [23, 5],
    [24, 6],
  ] as const) {
    service.clock.set(start + hour * hourMs)
    await flood(client, count)
  }
  service.clock.set(start + 2 * dayMs)
  const days = await usageOf(client, '?per=day')
  expect(days).toHaveLength(30)
  expect(used(days)).toMatchObject([
    { from: new Date(start).toISOString(), allowed: 12 },
    { from: new Date(start + dayMs).toISOString(), allowed: 6 },
  ])
  const hours = await usageOf(client, `?per=hour&from=${new Date(start).toISOString()}`)
  expect(used(hours).map(({ allowed }) => allowed)).toEqual([3, 4, 5, 6, 1])
})

test('a range has whole hours, includes its start and excludes its end', async () => {
  newYear()
  const client = await service.newClient()
  const starts = async (from: string, to: string) =>
    (await usageOf(client, `?from=${year}-01-01T${from}Z&to=${year}-01-01T${to}Z`)).map((entry) =>
      entry.from.slice(11, 16),
    )
  expect(await starts('00:00:00', '03:00:00')).toEqual(['00:00', '01:00', '02:00'])
  expect(await starts('00:59:59.999', '01:00:00.001')).toEqual(['00:00', '01:00'])
  expect(await starts('05:00:00', '05:00:00')).toEqual([])
  expect((await usageOf(client, '?from=1969-12-31T22:30:00Z&to=1970-01-01T01:00:00Z')).map(({ from }) => from)).toEqual(
    ['1969-12-31T22:00:00.000Z', '1969-12-31T23:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  )
})

test('a reversed, too long or invalid range is rejected', async () => {
  newYear()
  const client = await service.newClient()
  for (const query of [
    `from=${year}-01-02T00:00:00Z&to=${year}-01-01T00:00:00Z`,
    `from=${year - 1}-01-01T00:00:00Z`,
    'per=day&from=1990-01-01T00:00:00Z',
    'from=yesterday',
    'per=week',
    'keyId=abc',
    'since=1',
  ]) {
    expect((await client.get(`/usage?${query}`)).body.code).toBe('validation_failed')
  }
})

test('a range is limited to valid years, also for its default start', async () => {
  const client = await service.newClient()
  for (const query of [
    'to=0000-01-01T00:00:00Z',
    'to=0000-01-01T23:00:00Z&per=hour',
    'to=0000-01-30T00:00:00Z&per=day',
  ]) {
    const { status, body } = await client.get(`/usage?${query}`)
    expect([status, body.errors?.[0].path]).toEqual([400, '/to'])
  }
  const firstDay = await usageOf(client, '?to=0000-01-02T00:00:00Z')
  expect([firstDay.length, firstDay[0]?.from]).toEqual([24, '0000-01-01T00:00:00.000Z'])
  const lastDay = await usageOf(client, '?from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59.999Z')
  expect([lastDay.length, lastDay.at(-1)?.from]).toEqual([24, '9999-12-31T23:00:00.000Z'])
  expect((await client.get('/usage?from=9999-12-31T23:59:59.999Z')).status).toBe(400)
})

test("another key's usage requires keys:manage; with it, an unknown key is not found", async () => {
  newYear()
  const [alice, bob] = [await service.newClient(), await service.newClient()]
  await flood(alice, 3)
  expect(used(await usageOf(alice, `?keyId=${alice.keyId}`))[0]?.allowed).toBe(3)
  for (const keyId of [alice.keyId, 987_654_321]) {
    const { status, body } = await bob.get(`/usage?keyId=${keyId}`)
    expect([status, body.code]).toEqual([403, 'insufficient_scope'])
  }
  expect(used(await usageOf(service.admin, `?keyId=${alice.keyId}`))[0]?.allowed).toBe(4)
  expect((await service.admin.get('/usage?keyId=987654321')).body.code).toBe('key_not_found')
  expect((await service.admin.get('/usage?keyId=9223372036854775807')).body.code).toBe('key_not_found')
})

test('counts are written in the background, and the rest at shutdown', async () => {
  newYear()
  const client = await service.newClient()
  const written = async () => {
    const [row] = await findUsage(service.context.db, client.keyId, 'hour', 0, Number.MAX_SAFE_INTEGER)
    return row?.allowed ?? 0
  }
  await flood(client, 5)
  await eventually(async () => (await written()) >= 5)
  await flood(client, 5)
  await service.restart()
  expect(await written()).toBe(10)
})

test('counts that could not be written are kept for the next write', async () => {
  newYear()
  const client = await service.newClient()
  const { db, usage } = service.context
  const away = (from: string, to: string) => db.transaction((tx) => tx.query(`ALTER TABLE ${from} RENAME TO ${to}`))
  await flood(client, 5)
  await away('usage_changes', 'usage_changes_away')
  for (let attempt = 0; attempt < 3; attempt++) {
    await flood(client, 2)
    expect(await failureOf(usage.flush())).toBeInstanceOf(Error)
  }
  await away('usage_changes_away', 'usage_changes')
  for (const per of ['hour', 'day']) {
    const total = used(await usageOf(client, `?per=${per}`)).reduce((sum, { allowed }) => sum + allowed, 0)
    expect(total).toBe(per === 'hour' ? 11 : 12)
  }
})

test('nor are those lost that are counted while a write fails', async () => {
  newYear()
  const client = await service.newClient()
  const { db, usage } = service.context
  await flood(client, 3)
  const { transaction } = db
  const failOnce: Database['transaction'] = async (work) => {
    Object.assign(db, { transaction })
    await flood(client, 2)
    return transaction(async (tx) => {
      await work(tx)
      throw new Error('not written')
    })
  }
  Object.assign(db, { transaction: failOnce })
  expect(await failureOf(usage.flush())).toEqual(new Error('not written'))
  service.clock.advance(60_000)
  expect(used(await usageOf(client))).toMatchObject([{ allowed: 5 }])
})

test('hours are kept for 90 days, days forever', async () => {
  newYear()
  const client = await service.newClient()
  const start = service.clock.now()
  await flood(client, 4)
  await service.context.usage.flush()
  await addUpUsage(service.context.db)
  const left = async (period: string) =>
    (await service.context.db.query(`SELECT key_id FROM usage_${period} WHERE key_id = $1`, [client.keyId])).length

  await forgetOldUsage(service.context.db, start + 90 * dayMs)
  expect([await left('hours'), await left('days')]).toEqual([1, 1])
  await forgetOldUsage(service.context.db, start + 90 * dayMs + 1)
  expect([await left('hours'), await left('days')]).toEqual([0, 1])
  await forgetOldUsage(service.context.db, start + 3_000 * dayMs)
  expect(await left('days')).toBe(1)
})

test('GET /limits is not counted; a request during a ban counts as limited, and only those before it as strikes', async () => {
  newYear()
  const client = await service.newClient({ plan: 'free' })
  await flood(client, 5, 5, '/limits')
  // 60 that are served, the first rejection, 30 strikes, and the one that is over the allowance.
  await getBanned(service, client)
  await flood(client, 8)
  service.clock.advance(hourMs)
  expect(used(await usageOf(client))).toMatchObject([{ allowed: 60, limited: 40, errors: 0, strikes: 31 }])
  await addUpUsage(service.context.db)
  for (const per of ['hour', 'day']) {
    expect(used(await usageOf(client, `?per=${per}`))[0]).toMatchObject({ limited: 40, strikes: 31 })
  }
})

test('a key manager reads the sums of all keys, before and after they are added up', async () => {
  newYear()
  const [one, other] = [await service.newClient({ plan: 'free' }), await service.newClient({ plan: 'free' })]
  await flood(one, 61)
  await flood(other, 3)
  await other.get('/pets/987654321')
  const range = `?allKeys=true&from=${new Date(service.clock.now()).toISOString()}`
  const read = async (per: string) => (await usageOf(service.admin, `${range}&per=${per}`))[0]
  // Creating two keys took two requests, and reading the sums takes one.
  const first = await read('hour')
  expect(first).toMatchObject({ limited: 1, errors: 1 })
  const others = (first?.allowed ?? 0) - 64
  await addUpUsage(service.context.db)
  for (const per of ['hour', 'day']) {
    expect(await read(per)).toMatchObject({ limited: 1, errors: 1 })
  }
  expect((await read('day'))?.allowed).toBe(64 + others + 3)
  expect((await read('hour'))?.allowed).toBe(64 + others + 4)
  expect(others).toBeLessThan(10)

  expect((await other.get('/usage?allKeys=true')).body.code).toBe('insufficient_scope')
  expect((await other.get('/usage?allKeys=false')).status).toBe(200)
  const both = await service.admin.get('/usage?allKeys=true&keyId=1')
  expect(both.body).toMatchObject({ status: 400, errors: [{ in: 'query', path: '/keyId' }] })
})
