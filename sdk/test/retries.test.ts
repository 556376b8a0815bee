import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { ConnectionError, PetStore, PreconditionFailedError, SecretMissingError, ServerError } from '../src/index.ts'
import { createFaultyClients, type Fault, failure } from './faulty-clients.ts'
import { virtualTime } from './virtual-time.ts'

// Network faults between the client and a real service.

const service = await startService()
afterAll(() => service.stop())

const rejectsConnection: Fault = () => Promise.reject(new TypeError('fetch failed'))
/** The service handles the request, but its response is lost. */
const losesResponse: Fault = async (send) => {
  await send()
  throw new TypeError('terminated')
}
const saysUnavailable =
  (seconds?: number): Fault =>
  async () =>
    new Response('<h1>Unavailable</h1>', {
      status: 503,
      headers: seconds === undefined ? {} : { 'Retry-After': `${seconds}` },
    })

/** The code counts, whatever the message says. */
const saysNothingDone: Fault = async () =>
  Response.json({ code: 'unavailable', message: 'The outcome is unknown.', status: 503 }, { status: 503 })

/** The service handles the request, but loses its database during the commit. */
const saysUnknown: Fault = async (send) => {
  await send()
  return Response.json({ code: 'outcome_unknown', message: 'Lost.', status: 503 }, { status: 503 })
}

const saysBroken: Fault = async () =>
  Response.json({ code: 'internal_error', message: 'Something failed.', status: 500 }, { status: 500 })

const clientMeeting = createFaultyClients(service)

test('a read is retried after rejected connections and a 503, with longer waits each time', async () => {
  const faults = [rejectsConnection, rejectsConnection, saysUnavailable(), rejectsConnection]
  const { petstore, sent, time } = clientMeeting(faults, { random: () => 0.5 })
  expect((await petstore.limits.get()).plan).toBe('enterprise')
  expect(sent).toHaveLength(5)
  expect(time.slept).toEqual([125, 250, 500, 1000])
})

test('waits double up to 15 seconds', async () => {
  const { petstore, time } = clientMeeting(Array(8).fill(rejectsConnection), { random: () => 1 })
  await petstore.limits.get()
  expect(time.slept).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
})

test.each([
  [409, 'idempotency_in_progress'],
  [502, 'bad_gateway'],
  [504, 'gateway_timeout'],
])('a POST is retried after a %i %s, with its Idempotency-Key', async (status, code) => {
  const rejects: Fault = async () => Response.json({ code, message: 'Not yet.', status }, { status })
  const { petstore, sent } = clientMeeting([rejects])
  expect((await petstore.categories.create({ name: 'Later' })).name).toBe('Later')
  expect(sent).toHaveLength(2)
  expect(new Set(sent.map((headers) => headers.get('Idempotency-Key'))).size).toBe(1)
})

test('the jitter is full: a wait can be anything up to the back-off', async () => {
  const { petstore, time } = clientMeeting([rejectsConnection, rejectsConnection], { random: () => 0 })
  await petstore.limits.get()
  expect(time.slept).toEqual([0, 0])
})

test('a retry after a 503 waits for Retry-After, and never less', async () => {
  const { petstore, time } = clientMeeting([saysUnavailable(7)])
  await petstore.limits.get()
  expect(time.slept).toEqual([7000])
})

test('a call is tried as often as its time allows, and the last error is thrown', async () => {
  const { petstore, sent, time } = clientMeeting(Array(99).fill(rejectsConnection))
  const startedAt = time.now()
  const error = await failure(petstore.limits.get())
  expect(error).toBeInstanceOf(ConnectionError)
  expect(error).toMatchObject({ code: 'connection_failed', status: 0 })
  expect(error.cause).toBeInstanceOf(TypeError)
  expect(time.now() - startedAt).toBe(119_500)
  expect(sent.length).toBeGreaterThan(8)
})

test('a service that restarts for ten seconds loses no call that has time for it', async () => {
  const time = virtualTime(service.clock)
  const backAt = time.now() + 10_000
  const petstore = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    ...time,
    totalMs: 12_000,
    fetch: (url, init) => (time.now() < backAt ? Promise.reject(new TypeError('fetch failed')) : time.fetch(url, init)),
  })
  const calls = Array.from({ length: 20 }, (_, index) => petstore.categories.create({ name: `Restart ${index}` }))
  expect(new Set((await Promise.all(calls)).map(({ name }) => name)).size).toBe(20)
  expect(await petstore.categories.list({ q: 'Restart', limit: 100 }).toArray()).toHaveLength(20)
})

test('a call that may have been done never ends with an error that says the opposite', async () => {
  const petId = await service.admin.newPet(5)
  const ends = async (last: Fault, more: object = {}) => {
    const { petstore } = clientMeeting([saysUnknown, last, last], { attemptsMax: 3, ...more })
    return failure(petstore.store.orders.place({ petId }))
  }
  expect(await ends(saysNothingDone)).toMatchObject({ code: 'outcome_unknown' })
  const limited: Fault = async () =>
    Response.json(
      { code: 'rate_limited', message: 'Too many.', status: 429 },
      { status: 429, headers: { 'Retry-After': '600' } },
    )
  expect(await ends(limited)).toMatchObject({ code: 'outcome_unknown' })
  expect((await service.admin.get(`/store/inventory/${petId}`)).body.quantity).toBe(3)
  const { petstore } = clientMeeting([saysNothingDone, saysNothingDone], { attemptsMax: 2 })
  expect(await failure(petstore.store.orders.place({ petId }))).toMatchObject({ code: 'unavailable' })
})

test('what a function of the caller throws is thrown, and nothing is sent again', async () => {
  const onDeprecated = () => {
    throw new RangeError('No deprecated calls here.')
  }
  const { petstore, sent } = clientMeeting([], { onDeprecated })
  expect(await failure(petstore.pets.get(await service.admin.newPet()))).toBeInstanceOf(RangeError)
  expect(sent).toHaveLength(1)
})

test('an address with a password is rejected, and not repeated', () => {
  const make = () => new PetStore({ baseUrl: 'https://someone:hidden@shop.example' })
  expect(make).toThrow('baseUrl must not contain a name or a password.')
})

test('the number of tries is bounded by attemptsMax, of the client or of the call', async () => {
  const { petstore, sent } = clientMeeting(Array(9).fill(rejectsConnection), { attemptsMax: 3 })
  expect(await failure(petstore.limits.get())).toMatchObject({ code: 'connection_failed' })
  expect(sent).toHaveLength(3)
  expect(await failure(petstore.limits.get({ attemptsMax: 1 }))).toMatchObject({ code: 'connection_failed' })
  expect(sent).toHaveLength(4)
})

test('the time of one call is bounded by its timeoutMs', async () => {
  const { petstore, time } = clientMeeting(Array(99).fill(rejectsConnection))
  const startedAt = time.now()
  expect(await failure(petstore.limits.get({ timeoutMs: 5_000 }))).toMatchObject({ code: 'connection_failed' })
  expect(time.now() - startedAt).toBe(4_500)
})

test('a 500 is retried twice: the third time it is thrown', async () => {
  const twice = clientMeeting([saysBroken, saysBroken])
  expect((await twice.petstore.categories.create({ name: 'Third time' })).name).toBe('Third time')
  expect(new Set(twice.sent.map((headers) => headers.get('Idempotency-Key'))).size).toBe(1)
  const always = clientMeeting(Array(9).fill(saysBroken))
  expect(await failure(always.petstore.pets.counts())).toBeInstanceOf(ServerError)
  expect(always.sent).toHaveLength(3)
})

test('a replay that lacks the secret says which key it is, and what to do', async () => {
  const withoutSecret: Fault = async (send) => {
    const { secret, ...rest } = (await (await send()).json()) as Record<string, unknown>
    return Response.json(rest, { status: 201, headers: { 'Idempotent-Replayed': 'true' } })
  }
  const { petstore } = clientMeeting([withoutSecret, withoutSecret])
  const error = await failure(petstore.keys.create({ name: 'Older', plan: 'free', preset: 'reader' }))
  expect(error).toBeInstanceOf(SecretMissingError)
  expect(error.message).toContain(`Rotate key ${error.id} to get a new one, or revoke it.`)
  expect(await failure(petstore.keys.rotate(error.id))).toMatchObject({ code: 'secret_missing', id: error.id })
  expect((await petstore.keys.get(error.id)).name).toBe('Older')
  expect((await petstore.keys.rotate(error.id)).secret).toStartWith('ps_')
})

test('the total time is bounded: a wait past the deadline fails immediately', async () => {
  const { petstore, sent, time } = clientMeeting([saysUnavailable(600)])
  expect(await failure(petstore.limits.get())).toMatchObject({ status: 503, retryAfterMs: 600_000 })
  expect(sent).toHaveLength(1)
  expect(time.slept).toEqual([])
})

test('an order whose response was lost is placed once: the retries carry the same Idempotency-Key', async () => {
  const petId = await service.admin.newPet(5)
  const { petstore, sent } = clientMeeting([losesResponse, losesResponse])
  const order = await petstore.store.orders.place({ petId, quantity: 2 })
  expect(order.quantity).toBe(2)
  expect((await petstore.store.inventory.get(petId)).quantity).toBe(3)
  const keys = sent.slice(0, 3).map((headers) => headers.get('Idempotency-Key'))
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
})

test('a key whose response was lost still comes with its secret', async () => {
  const { petstore } = clientMeeting([losesResponse])
  const { secret } = await petstore.keys.create({ name: 'Lost', plan: 'free', preset: 'reader' })
  expect((await service.as(secret).get('/pets')).status).toBe(200)
})

test('two orders that are two calls are two orders', async () => {
  const petId = await service.admin.newPet(5)
  const { petstore } = clientMeeting([])
  const [first, second] = await Promise.all([
    petstore.store.orders.place({ petId }),
    petstore.store.orders.place({ petId }),
  ])
  expect(first.id).not.toBe(second.id)
})

test('an idempotency key of the caller makes a POST safe to repeat', async () => {
  const petId = await service.admin.newPet(5)
  const { petstore } = clientMeeting([])
  const idempotencyKey = `basket-${petId}`
  const first = await petstore.store.orders.place({ petId }, { idempotencyKey })
  const again = await petstore.store.orders.place({ petId }, { idempotencyKey })
  expect(again).toEqual(first)
})

test('a delete whose response was lost succeeds, although its retry gets a 404', async () => {
  const petId = await service.admin.newPet()
  const { petstore, sent } = clientMeeting([losesResponse])
  expect(await petstore.pets.delete(petId)).toBeUndefined()
  expect(sent).toHaveLength(2)
  expect(await failure(petstore.pets.delete(petId))).toMatchObject({ code: 'pet_not_found' })
})

test('a delete whose connection was cut succeeds, even if it followed another request on that connection', async () => {
  let deletes = 0
  using server = Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket, request) {
        const error = '{"code":"pet_not_found","message":"Gone.","status":404}'
        if (!request.toString().startsWith('DELETE')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}')
        else if (++deletes === 1) socket.end()
        else socket.write(`HTTP/1.1 404 Not Found\r\nContent-Length: ${error.length}\r\n\r\n${error}`)
      },
    },
  })
  const petstore = new PetStore({ baseUrl: `http://127.0.0.1:${server.port}`, apiKey: 'ps_cut', random: () => 0 })
  await petstore.limits.get()
  expect(await petstore.pets.delete(1)).toBeUndefined()
  expect(deletes).toBe(2)
})

test('a 404 after a 503 that did nothing is thrown; after one whose outcome is unknown, the delete succeeded', async () => {
  const petId = await service.admin.newPet()
  const missing = clientMeeting([saysNothingDone])
  expect(await failure(missing.petstore.pets.delete(2 ** 50))).toMatchObject({ code: 'pet_not_found' })
  expect(missing.sent).toHaveLength(2)
  const unsure = clientMeeting([saysUnknown])
  expect(await unsure.petstore.pets.delete(petId)).toBeUndefined()
  expect(unsure.sent).toHaveLength(2)
})

test('a change whose response was lost is rejected by its own tag, and the error says so', async () => {
  const { petstore } = clientMeeting([])
  const category = await petstore.categories.create({ name: 'Once' })
  const losing = clientMeeting([losesResponse]).petstore
  const error = await failure(losing.categories.update(category.id, { name: 'Twice' }, { ifMatch: category }))
  expect(error).toBeInstanceOf(PreconditionFailedError)
  expect(error.requestId).toBeString()
  expect(error.message).toEndWith('may have made the change: read the resource to find out.')
  expect((await petstore.categories.get(category.id)).name).toBe('Twice')
})

test('no 4xx is retried', async () => {
  const { petstore, sent } = clientMeeting([])
  expect(await failure(petstore.pets.profile(2 ** 50))).toMatchObject({ code: 'pet_not_found', status: 404 })
  expect(sent).toHaveLength(1)
})
