import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { PetStore } from '../src/index.ts'
import { createFaultyClients, type Fault, failure } from './faulty-clients.ts'

// Calls that end early: by a timeout, by their signal, or because they can never be sent.

const service = await startService()
afterAll(() => service.stop())

const clientMeeting = createFaultyClients(service)

test('a request that hangs is aborted and retried', async () => {
  const hangs: Fault = () => new Promise(() => undefined)
  const hanging = (init: RequestInit) =>
    new Promise<Response>((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  let first = true
  const { petstore } = clientMeeting([hangs], {
    attemptTimeoutMs: 50,
    fetch: (url, init) => {
      const response = first ? hanging(init) : fetch(url, init)
      first = false
      return response
    },
  })
  expect((await petstore.limits.get()).plan).toBe('enterprise')
})

test('a request that hangs ends with its call, however long a try may take', async () => {
  const { petstore } = clientMeeting([], {
    fetch: (_, init) =>
      new Promise((_resolve, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason))),
  })
  const error = await failure(petstore.limits.get({ timeoutMs: 50 }))
  expect(error).toMatchObject({ code: 'timed_out', message: 'No response within 50 ms.' })
})

test.each([Number.POSITIVE_INFINITY, 30 * 86_400_000])(
  'a call that may take %d ms waits for its response',
  async (ms) => {
    await using slow = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: async () => {
        // Longer than the millisecond after which a timer with too long a delay ends.
        await Bun.sleep(50)
        return Response.json({ plan: 'free' })
      },
    })
    const limits = { totalMs: ms, attemptTimeoutMs: ms, attemptsMax: 1 }
    const petstore = new PetStore({ baseUrl: slow.url.href, apiKey: 'ps_slow', ...limits })
    expect((await petstore.limits.get()).plan).toBe('free')
  },
)

test('an aborted call ends immediately with its reason, while waiting and while in flight', async () => {
  const controller = new AbortController()
  const { petstore } = clientMeeting([], {
    sleep: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  })
  const waiting = failure(petstore.pets.counts({}, { signal: controller.signal }))
  controller.abort(new Error('changed my mind'))
  expect(await waiting).toHaveProperty('message', 'changed my mind')

  const inFlight = new AbortController()
  const stuck = clientMeeting([], {
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        inFlight.abort(new Error('no longer'))
      }),
  })
  expect(await failure(stuck.petstore.pets.counts({}, { signal: inFlight.signal }))).toHaveProperty(
    'message',
    'no longer',
  )
  expect(await failure(petstore.pets.counts({}, { signal: AbortSignal.abort(new Error('early')) }))).toHaveProperty(
    'message',
    'early',
  )
})

test.each(['GET', 'HEAD'])('a %s with a body throws immediately, and is not retried', async (method) => {
  const { petstore, time } = clientMeeting([])
  const error = await failure(petstore.request(method, '/pets', { body: { name: 'Rex' } }))
  expect(error).toEqual(new TypeError(`A ${method} request cannot have a body.`))
  expect(time.slept).toEqual([])
})

test('a request that can never be sent throws immediately', async () => {
  expect(() => new PetStore({ baseUrl: 'petstore.example.com' })).toThrow(TypeError)
  const { petstore, sent } = clientMeeting([], { apiKey: 'ps_\n1' })
  expect(await failure(petstore.pets.counts())).toBeInstanceOf(TypeError)
  expect(sent).toHaveLength(0)
})
