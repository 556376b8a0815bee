import { afterAll, describe, expect, test } from 'bun:test'
import { headersIn } from '../../../src/surfaces/pages/reference/document.ts'
import { startService } from '../../harness/service.ts'

// What is true of every response.

const service = await startService()
afterAll(() => service.stop())
const api = service.admin

describe('the request id', () => {
  test('is the client’s own if it is well formed', async () => {
    for (const id of ['my-id', '!"#$%&/()=?', 'x'.repeat(128)]) {
      expect((await api.get('/pets', { 'X-Request-Id': id })).headers.get('x-request-id')).toBe(id)
    }
  })

  test('is generated if it is missing or malformed', async () => {
    for (const headers of [{}, { 'X-Request-Id': 'x'.repeat(129) }, { 'X-Request-Id': 'two words' }]) {
      expect((await api.get('/pets', headers)).headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    }
  })

  test('is in the error too', async () => {
    const { body } = await api.get('/nowhere', { 'X-Request-Id': 'mine' })
    expect(body.requestId).toBe('mine')
  })

  test.each(['/', '/healthz', '/readyz', '/openapi.json', '/openapi.yaml'])('is on %s', async (path) => {
    expect((await fetch(service.url + path)).headers.get('x-request-id')).toBeString()
    const own = await fetch(service.url + path, { method: 'OPTIONS', headers: { 'X-Request-Id': 'mine' } })
    expect(own.headers.get('x-request-id')).toBe('mine')
  })
})

describe('paths and methods', () => {
  test.each(['/nowhere', '/pets/1/2/3', '/pets/', '/PETS', '/store', '/pets/1/profile/x'])(
    '%s is not found, with and without a key',
    async (path) => {
      for (const client of [api, service.as(undefined)]) {
        const { status, body, headers } = await client.get(path)
        expect([status, body.code]).toEqual([404, 'route_not_found'])
        expect(headers.get('x-ratelimit-limit')).toBeString()
      }
    },
  )

  test.each([
    ['DELETE', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['POST', '/pets/1', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['PATCH', '/categories', 'GET, HEAD, POST, OPTIONS'],
    ['PUT', '/pets/1/profile', 'GET, HEAD, OPTIONS'],
    ['HEAD', '/keys/1/rotate', 'POST, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/openapi.json', 'GET, HEAD, OPTIONS'],
    // Methods that few services know.
    ['PROPFIND', '/pets', 'GET, HEAD, POST, OPTIONS'],
    ['PURGE', '/pets/1', 'GET, HEAD, PUT, PATCH, DELETE, OPTIONS'],
    ['PURGE', '/pets/counts', 'GET, HEAD, OPTIONS'],
    ['LOCK', '/openapi.json', 'GET, HEAD, OPTIONS'],
    ['SEARCH', '/console/pets', 'GET, HEAD, OPTIONS'],
  ])('%s %s is not allowed, and the response lists what is', async (method, path, allow) => {
    const { status, body, headers } = await api.send(method, path)
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe(allow)
    if (method !== 'HEAD') expect(body.code).toBe('method_not_allowed')
  })

  test('a path that does not exist is not found, whatever the method', async () => {
    for (const method of ['DELETE', 'PURGE']) {
      const { status, body } = await api.send(method, '/pets/1/2/3')
      expect([status, body.code]).toEqual([404, 'route_not_found'])
    }
  })
})

describe('other origins', () => {
  test('may read every response and every header of the API', async () => {
    for (const response of [
      await api.get('/pets'),
      await api.get('/nowhere'),
      await service.as(undefined).get('/pets'),
    ]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? []
      const described = headersIn(service.contract.description).map(([name]) => name.toLowerCase())
      // Scripts may always read Cache-Control.
      expect(['cache-control', ...exposed]).toEqual(expect.arrayContaining(described))
    }
  })

  test('learn by a preflight what they may send, without a key', async () => {
    const response = await fetch(`${service.url}/pets/1`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'PATCH' },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(response.headers.get('access-control-max-age')).toBe('86400')
    const allowed = response.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')
    const described = [...JSON.stringify(service.contract.description).matchAll(/"name":"([^"]+)","in":"header"/g)]
    // Those of webhooks are for the receiver.
    const names = described.map(([, name = '']) => name.toLowerCase()).filter((name) => !name.startsWith('webhook-'))
    expect(names).toEqual(expect.arrayContaining(['if-match', 'if-none-match', 'idempotency-key', 'last-event-id']))
    expect(allowed).toEqual(expect.arrayContaining([...names, 'x-api-key', 'authorization', 'content-type']))
  })
})

test('no shared cache keeps a response, and no client uses it again without asking', async () => {
  for (const path of ['/pets?limit=1', '/pets/0', '/nowhere']) {
    expect((await api.get(path)).headers.get('cache-control')).toBe('private, no-cache')
  }
})

describe('the form of an error', () => {
  test('is the Error object by default', async () => {
    const plain = await api.get('/pets/0')
    expect(plain.headers.get('content-type')).toBe('application/json')
    expect(plain.body).toEqual({
      code: 'pet_not_found',
      message: 'There is no pet 0. List the pets to find its id.',
      status: 404,
      requestId: plain.headers.get('x-request-id'),
      docs: 'http://petstore.test/errors#pet_not_found',
    })
  })

  test.each([
    'application/problem+json',
    'application/json;q=0.5, application/problem+json',
    'application/json, application/problem+json',
  ])('is RFC 9457 for %s', async (accept) => {
    const response = await api.post('/pets', {}, { Accept: accept })
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(response.body).toMatchObject({
      type: 'http://petstore.test/errors#validation_failed',
      status: 400,
      code: 'validation_failed',
    })
    expect(response.body.errors).toHaveLength(2)
  })

  test('lists all faults, in path, query, header and body', async () => {
    const { body } = await api.put('/pets/abc?x=1&y=2', { name: '', colour: 'red' })
    expect(body.errors.map((fault: { in: string; path: string }) => `${fault.in} ${fault.path}`).sort()).toEqual([
      'body /categoryId',
      'body /colour',
      'body /name',
      'path /petId',
      'query /x',
      'query /y',
    ])
  })
})

test.each(['*/*', 'application/*', 'application/json; charset=utf-8', 'text/html, */*;q=0.1', ''])(
  'Accept: %s accepts JSON',
  async (accept) => expect((await api.get('/pets', { Accept: accept })).status).toBe(200),
)

test.each(['text/html', 'application/json;q=0', 'application/xml, text/*'])('Accept: %s does not', async (accept) => {
  expect((await api.get('/pets', { Accept: accept })).body.code).toBe('not_acceptable')
})

test('a stream is not JSON: Accept: application/json is rejected, and the rejection says what there is', async () => {
  for (const accept of ['application/json', 'application/problem+json', 'text/html']) {
    const { status, body } = await api.get('/events/stream', { Accept: accept })
    expect([status, body.code]).toEqual([406, 'not_acceptable'])
    expect(body.message).toBe(
      'The response exists only as text/event-stream, which the `Accept` header excludes. Accept `application/json`, for a stream `text/event-stream`, or leave the header out.',
    )
  }
  for (const accept of ['text/event-stream', '*/*', 'text/*, application/json']) {
    expect((await api.get('/events/stream', { Accept: accept })).status).toBe(200)
  }
})

test('HEAD has a Date, like every response', async () => {
  for (const path of ['/pets', '/pets/0', '/events/stream', '/no/such/path', '/docs', '/healthz']) {
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await api.send(method, path)
      expect([method, path, Number.isNaN(Date.parse(headers.get('date') ?? ''))]).toEqual([method, path, false])
    }
  }
})

test('the description requires the three fields of the seed in an Error; the others are sent all the same', async () => {
  expect(service.contract.description.components.schemas.Error.required).toEqual(['code', 'message', 'status'])
  for (const path of ['/pets/0', '/pets?limit=x', '/no/such/path']) {
    expect(Object.keys((await api.get(path)).body)).toEqual(expect.arrayContaining(['requestId', 'docs']))
  }
})

describe('a preflight', () => {
  const preflight = (headers: Record<string, string> = {}) =>
    fetch(`${service.url}/pets`, { method: 'OPTIONS', headers })

  test('shows what the address has left, and uses nothing', async () => {
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await preflight()
      expect([status, headers.get('x-ratelimit-limit')]).toEqual([204, '60'])
    }
    const left = async () => (await preflight()).headers.get('x-ratelimit-remaining')
    expect(await left()).toBe((await left()) ?? '')
  })

  test('shows what a key has left, if one is sent', async () => {
    const client = await service.newClient({ plan: 'pro' })
    await client.get('/pets')
    const { headers } = await preflight({ 'X-API-Key': client.secret ?? '' })
    expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual(['300', '299'])
    expect((await client.get('/limits')).body.windows[0].remaining).toBe(299)
  })
})
