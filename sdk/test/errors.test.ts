import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import * as sdk from '../src/index.ts'

const service = await startService()
afterAll(() => service.stop())
const { baseUrl, apiKey, now } = { baseUrl: service.url, apiKey: service.adminSecret, now: service.clock.now }
const petstore = new sdk.PetStore({ baseUrl, apiKey, now })

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

const category = await petstore.categories.create({ name: 'Newts' })
const petId = await service.admin.newPet()
const reader = await petstore.keys.create({ name: 'Reader', plan: 'free', preset: 'reader' })
const asReader = new sdk.PetStore({ baseUrl, apiKey: reader.secret, now })
const asUnknown = new sdk.PetStore({ baseUrl, apiKey: 'wrong', now })
const nowhere = new sdk.PetStore({ baseUrl: 'http://127.0.0.1:1', apiKey, attemptsMax: 1 })

const kinds: [string, new (...given: never[]) => Error, string, () => Promise<unknown>][] = [
  ['an invalid request', sdk.InvalidRequestError, 'validation_failed', () => petstore.categories.create({ name: '' })],
  [
    'an unknown id in a body',
    sdk.InvalidRequestError,
    'unknown_pet',
    () => petstore.store.orders.place({ petId: 2 ** 50 }),
  ],
  ['a wrong key', sdk.AuthenticationError, 'invalid_api_key', () => asUnknown.pets.counts()],
  [
    'a missing scope',
    sdk.PermissionDeniedError,
    'insufficient_scope',
    () => asReader.categories.create({ name: 'Efts' }),
  ],
  ['an unknown resource', sdk.NotFoundError, 'order_not_found', () => petstore.store.orders.get(2 ** 50)],
  ['a conflict', sdk.ConflictError, 'insufficient_stock', () => petstore.store.orders.place({ petId, quantity: 99 })],
  [
    'a stale tag',
    sdk.PreconditionFailedError,
    'precondition_failed',
    () => petstore.categories.delete(category.id, { ifMatch: '"stale"' }),
  ],
  ['no connection', sdk.ConnectionError, 'connection_failed', () => nowhere.pets.counts()],
]

test.each(kinds)('%s has a class of its kind', async (_, kind, code, call) => {
  const error = await failure(call())
  expect(error).toBeInstanceOf(kind)
  expect(error).toBeInstanceOf(sdk.PetStoreError)
  expect(error).toMatchObject({ code, name: kind.name })
})

test('a ban is a kind of rejection by the limits', () => {
  const until = new Date('2027-01-01T00:00:00Z')
  const error = new sdk.BannedError({ code: 'key_banned', message: 'Banned.', status: 429 }, until)
  expect(error).toBeInstanceOf(sdk.RateLimitedError)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ name: 'BannedError', until: until.toISOString() })
})

test('as JSON an error is complete: its message, every fault, and what caused it', async () => {
  const error = await failure(petstore.categories.create({ name: '' }, { headers: { 'X-Request-Id': 'mine' } }))
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: 'InvalidRequestError',
    message: error.message,
    code: 'validation_failed',
    status: 400,
    requestId: 'mine',
    docs: expect.stringContaining('/errors#validation_failed'),
    errors: [{ in: 'body', path: '/name', message: expect.any(String) }],
  })
  const lost = await failure(nowhere.pets.counts())
  expect(JSON.parse(JSON.stringify(lost))).toMatchObject({
    name: 'ConnectionError',
    message: expect.stringContaining('http://127.0.0.1:1 did not respond: '),
    code: 'connection_failed',
    cause: { message: expect.any(String) },
  })
})
