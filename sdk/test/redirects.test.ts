import { afterAll, expect, test } from 'bun:test'
import { PetStore, UnexpectedResponseError } from '../src/index.ts'
import { startSandbox } from '../src/testing/index.ts'

// A server that redirects everything, and the one that it redirects to.

const received: string[] = []
const other = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ method, headers }) => {
    received.push(`${method} ${headers.get('X-API-Key')}`)
    return Response.json([])
  },
})
let status = 301
const moved = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch: ({ url }) => Response.redirect(new URL(new URL(url).pathname, other.url).href, status),
})
afterAll(() => Promise.all([moved.stop(true), other.stop(true)]))

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

test.each([301, 302, 303, 307, 308])(
  'a %i is an error that names its target, and the key is not sent there',
  async (code) => {
    status = code
    const petstore = new PetStore({ baseUrl: moved.url.href, apiKey: 'ps_secret' })
    const calls = [
      () => petstore.categories.create({ name: 'Newts' }),
      () => petstore.pets.delete(1),
      () => petstore.pets.counts(),
    ]
    for (const call of calls) {
      const error = await failure(call())
      expect(error).toBeInstanceOf(UnexpectedResponseError)
      expect(error).toMatchObject({ code: 'unexpected_response', status: code })
      expect(error.message).toContain(`redirected to ${other.url.href}`)
      expect(error.message).toContain('use that base URL')
    }
    expect(received).toEqual([])
  },
)

test('a redirect that a browser hides is an error too', async () => {
  const hidden = Object.defineProperty(Response.error(), 'type', { value: 'opaqueredirect' })
  const petstore = new PetStore({ baseUrl: moved.url.href, apiKey: 'ps_secret', fetch: async () => hidden })
  const error = await failure(petstore.pets.counts())
  expect(error).toBeInstanceOf(UnexpectedResponseError)
  expect(error.message).toStartWith('The request was redirected, which is not followed.')
})

test('a sandbox host that redirects is an error that names the target', async () => {
  const error = await failure(startSandbox({ host: moved.url.href }))
  expect(error.message).toContain(`redirected to ${other.url.href}sandboxes`)
  expect(received).toEqual([])
})
