import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../server/test/harness/eventually.ts'
import { getBanned } from '../../server/test/harness/flood.ts'
import { startService } from '../../server/test/harness/service.ts'
import { BannedError, PetStore, PetStoreError } from '../src/index.ts'
import { virtualTime } from './virtual-time.ts'

// The service and its limits are real; only its clock jumps forward while all clients wait.

const service = await startService()
afterAll(() => service.stop())

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

/** A client with its own key and the service's clock, and what it sent. */
async function onFreePlan(options: object = {}) {
  const { secret, keyId } = await service.newClient({ plan: 'free' })
  const time = virtualTime(service.clock)
  const statuses: number[] = []
  const sentAt: number[] = []
  const client = (more: object = {}) =>
    new PetStore({
      baseUrl: service.url,
      apiKey: secret as string,
      ...time,
      fetch: async (url, init) => {
        const at = service.clock.now()
        const response = await time.fetch(url, init)
        // A busy service rejects a request without counting it, and the client sends it again.
        if (response.status !== 503) {
          sentAt.push(at)
          statuses.push(response.status)
        }
        return response
      },
      ...options,
      ...more,
    })
  return { petstore: client(), client, secret, keyId, statuses, sentAt }
}

const countRejected = (statuses: number[]) => statuses.filter((status) => status === 429).length

test('fifty workers with one client on a free key do all their work and are not rejected once', async () => {
  const { petstore, statuses } = await onFreePlan({ totalMs: 3_600_000 })
  const began = service.clock.now()
  await Promise.all(
    Array.from({ length: 50 }, async () => {
      for (let count = 0; count < 6; count++) await petstore.pets.counts()
    }),
  )
  expect(statuses).toHaveLength(300)
  expect(countRejected(statuses)).toBe(0)
  // 300 requests at 60 a minute: the first minute and four more.
  expect(service.clock.now() - began).toBeLessThanOrEqual(5 * 60_000)
  expect(await petstore.limits.get()).not.toHaveProperty('ban')
})

test('fifty workers whose key is used up before they begin are rejected at most once, and not banned', async () => {
  const { petstore, secret, statuses } = await onFreePlan({ totalMs: 3_600_000 })
  const other = service.as(secret)
  for (let count = 0; count < 60; count++) await other.get('/pets/counts')
  await Promise.all(Array.from({ length: 50 }, () => petstore.pets.counts()))
  expect(countRejected(statuses)).toBe(1)
  expect(statuses.filter((status) => status === 200)).toHaveLength(50)
})

test('without the throttle every call still waits for Retry-After, and never less', async () => {
  const { petstore, secret, statuses, sentAt } = await onFreePlan({ throttle: false })
  const other = service.as(secret)
  for (let count = 0; count < 60; count++) await other.get('/pets/counts')
  const retryAt = service.clock.now() + Number((await other.get('/pets/counts')).headers.get('Retry-After')) * 1000
  const first = petstore.pets.counts()
  await eventually(() => statuses.length > 0)
  await Promise.all([first, ...Array.from({ length: 20 }, () => petstore.pets.counts())])
  expect(countRejected(statuses)).toBe(1)
  expect(sentAt).toHaveLength(22)
  expect(Math.min(...sentAt.slice(1))).toBeGreaterThanOrEqual(retryAt)
})

test('a burst without the throttle waits after its rejections, is served completely, and is not banned', async () => {
  const { petstore, statuses } = await onFreePlan({ throttle: false, totalMs: 3_600_000, attemptsMax: 20 })
  await Promise.all(Array.from({ length: 200 }, () => petstore.pets.counts()))
  expect(statuses.filter((status) => status === 200)).toHaveLength(200)
  expect(countRejected(statuses)).toBeGreaterThan(0)
  expect(await petstore.limits.get()).not.toHaveProperty('ban')
})

test.each([
  [8, 1],
  [2, 50],
])('%i programs of %i workers that share a free key without coordination are not banned', async (programs, workers) => {
  const { client, keyId, statuses } = await onFreePlan({ totalMs: 3_600_000, attemptsMax: 20 })
  const done = Array.from({ length: programs }, async () => {
    const petstore = client()
    const work = Array.from({ length: workers }, async () => {
      for (let count = 0; count < 400 / programs / workers; count++) await petstore.pets.counts()
    })
    await Promise.all(work)
  })
  await Promise.all(done)
  expect(statuses.filter((status) => status === 200)).toHaveLength(400)
  expect(countRejected(statuses)).toBeLessThanOrEqual(30)
  expect((await service.admin.get(`/keys/${keyId}`)).body).not.toHaveProperty('ban')
})

test('clients of one key in one program share what they know: one is rejected, and the others send nothing', async () => {
  const { secret } = await service.newClient({ plan: 'free' })
  const other = service.as(secret)
  // The minute lasts longer than the calls may take.
  service.clock.set(Math.ceil(service.clock.now() / 60_000) * 60_000)
  for (let count = 0; count < 60; count++) await other.get('/pets/counts')
  let sent = 0
  const call = () => {
    const fetchCounted = async (url: string, init: RequestInit) => {
      const response = await fetch(url, init)
      if (response.status !== 503) sent++
      return response
    }
    const petstore = new PetStore({
      baseUrl: service.url,
      apiKey: secret as string,
      totalMs: 10_000,
      fetch: fetchCounted,
    })
    return failure(petstore.pets.counts())
  }
  const errors = await Promise.all(Array.from({ length: 50 }, call))
  expect(errors.map(({ code }) => code)).toEqual(Array(50).fill('rate_limited'))
  expect(sent).toBe(1)
})

test('a thousand calls at once go out in the order in which they were made', async () => {
  const { secret } = await service.newClient()
  const searched: string[] = []
  // By the service's clock: on a busy machine the last of a thousand would time out and be retried.
  const time = virtualTime(service.clock)
  const petstore = new PetStore({
    baseUrl: service.url,
    apiKey: secret as string,
    ...time,
    fetch: (url, init) => {
      searched.push(new URL(url).searchParams.get('q') ?? '')
      return time.fetch(url, init)
    },
  })
  const words = Array.from({ length: 1000 }, (_, index) => `word ${index}`)
  await Promise.all(words.map((q) => petstore.categories.list({ q }).firstPage()))
  // One that a busy service rejects goes out again later.
  expect([...new Set(searched)]).toEqual(words)
})

test('a call that would wait past its deadline fails without being sent', async () => {
  const { petstore, statuses } = await onFreePlan({ totalMs: 1_000 })
  for (let count = 0; count < 60; count++) await petstore.pets.counts()
  const error = await failure(petstore.pets.counts())
  expect(error).toBeInstanceOf(PetStoreError)
  expect(error).toMatchObject({ code: 'rate_limited', status: 429 })
  expect(error.retryAfterMs).toBeGreaterThan(1_000)
  expect(statuses).toHaveLength(60)
})

test('a ban is an error that says when it ends, and is not retried', async () => {
  const { petstore, secret, statuses } = await onFreePlan()
  const other = service.as(secret)
  await getBanned(service, other)
  const error = await failure(petstore.pets.counts())
  expect(error).toBeInstanceOf(BannedError)
  const { ban } = await petstore.limits.get()
  expect(error.until.toISOString()).toBe(ban?.until)
  expect(error).toMatchObject({ code: 'key_banned', status: 429 })
  expect(statuses).toEqual([429, 200])
})

test('limits.last has the limits of the last response', async () => {
  const { petstore } = await onFreePlan()
  expect(petstore.limits.last).toBeUndefined()
  await petstore.pets.counts()
  expect(petstore.limits.last).toMatchObject({
    minute: { limit: 60, remaining: 59 },
    day: { limit: 1000, remaining: 999 },
  })
  const { windows } = await petstore.limits.get()
  expect(petstore.limits.last?.minute?.resetAt.getTime()).toBe((windows[0]?.reset ?? 0) * 1000)
})

test('a batch waits until there is room for all of it', async () => {
  const categoryId = await service.admin.newCategory('Dogs')
  const litter = Array.from({ length: 40 }, (_, index) => ({ name: `Pup ${index}`, categoryId }))
  const { body: pups } = await service.admin.post('/pets/batch', litter)
  const counts = pups.map(({ id }: { id: number }) => ({ petId: id, quantity: 2 }))
  const batches = [
    (shop: PetStore) => shop.pets.batch(litter),
    (shop: PetStore) => shop.store.inventory.setMany(counts),
  ]
  for (const send of batches) {
    const { secret } = await service.newClient({ plan: 'free', preset: 'staff' })
    const time = virtualTime(service.clock)
    const statuses: number[] = []
    const fetchAndCount = async (url: string, init: RequestInit) => {
      const response = await time.fetch(url, init)
      statuses.push(response.status)
      return response
    }
    const options = { baseUrl: service.url, apiKey: secret as string, ...time, fetch: fetchAndCount }
    const petstore = new PetStore(options)
    const use = async (count: number) => {
      for (let used = 0; used < count; used++) await petstore.categories.get(categoryId)
    }
    await use(15)
    const began = service.clock.now()
    expect(await send(petstore)).toHaveLength(40)
    expect(service.clock.now()).toBe(began)
    // In the next minute there is room for all of it only after that.
    service.clock.advance(60_000)
    await use(25)
    expect(await send(petstore)).toHaveLength(40)
    expect(service.clock.now()).toBeGreaterThan(began + 60_000)
    expect(countRejected(statuses)).toBe(0)
  }
})
