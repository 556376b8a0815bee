import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

// Whatever is sent, the response is a 4xx with the Error object, and the service keeps running.

const service = await startService()
afterAll(() => service.stop())
const api = service.admin
const categoryId = await api.newCategory()
const petId = await api.newPet()

afterEach(async () => expect((await api.get('/pets?limit=1')).status).toBe(200))

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const pet = (name: string, category: string | number = categoryId) => `{"name":${name},"categoryId":${category}}`

type Case = [what: string, body: string | Uint8Array, status: number, code: string, path?: string]

const bodies: Case[] = [
  ['invalid JSON', '{"name":', 400, 'malformed_json'],
  ['JSON with a comma too many', '{"name":"a",}', 400, 'malformed_json'],
  ['two documents', '{} {}', 400, 'malformed_json'],
  ['an empty body', '', 400, 'malformed_json'],
  ['a blank body', '  \n', 400, 'malformed_json'],
  ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0xfe, 0x22]), 400, 'malformed_json'],
  ['an array for an object', '[]', 400, 'validation_failed', ''],
  ['null for an object', 'null', 400, 'validation_failed', ''],
  ['text for an object', '"pet"', 400, 'validation_failed', ''],
  ['a number for an object', '1', 400, 'validation_failed', ''],
  ['a number for a name', pet('1'), 400, 'validation_failed', '/name'],
  ['text for an id', pet('"a"', '"1"'), 400, 'validation_failed', '/categoryId'],
  ['a fraction for an id', pet('"a"', '1.5'), 400, 'validation_failed', '/categoryId'],
  ['null for an id', pet('"a"', 'null'), 400, 'validation_failed', '/categoryId'],
  ['true for an id', pet('"a"', 'true'), 400, 'validation_failed', '/categoryId'],
  ['an unknown status', `{"name":"a","categoryId":1,"status":"lost"}`, 400, 'validation_failed', '/status'],
  ['an unknown field', `{"name":"a","categoryId":1,"id":7}`, 400, 'validation_failed', '/id'],
  ['a field that needs escaping', `{"name":"a","categoryId":1,"a/b~":7}`, 400, 'validation_failed', '/a~1b~0'],
  ['an empty name', pet('""'), 400, 'validation_failed', '/name'],
  ['a blank name', pet('" \\t\\u00a0"'), 400, 'validation_failed', '/name'],
  ['a name of 201 characters', pet(`"${'x'.repeat(201)}"`), 400, 'validation_failed', '/name'],
  ['a name of 201 emoji', pet(`"${'🐶'.repeat(201)}"`), 400, 'validation_failed', '/name'],
  ['NUL in a name', pet('"a\\u0000b"'), 400, 'validation_failed', '/name'],
  ['ESC in a name', pet('"a\\u001b[31mb"'), 400, 'validation_failed', '/name'],
  ['a line feed after a name', pet('"Rex\\n"'), 400, 'validation_failed', '/name'],
  ['DEL in a name', pet('"a\\u007fb"'), 400, 'validation_failed', '/name'],
  ['a C1 control character in a name', pet('"a\\u009bb"'), 400, 'validation_failed', '/name'],
  ['a name of zero width', pet('"\\u200b\\ufeff"'), 400, 'validation_failed', '/name'],
  ['a name of marks of direction', pet('" \\u202e\\u2066"'), 400, 'validation_failed', '/name'],
  ['a name of fillers', pet('"\\u3164\\u2800\\ufe0f"'), 400, 'validation_failed', '/name'],
  ['a lone surrogate in a name', pet('"a\\ud800b"'), 400, 'validation_failed', '/name'],
  ['1e400 for an id', pet('"a"', '1e400'), 400, 'validation_failed', '/categoryId'],
  ['-1e400 for an id', pet('"a"', '-1e400'), 400, 'validation_failed', '/categoryId'],
  ['2^53 + 1 for an id', pet('"a"', '9007199254740993'), 422, 'unknown_category'],
  ['2^53 for an id', pet('"a"', '9007199254740992'), 422, 'unknown_category'],
  ['the largest int64 for an id', pet('"a"', '9223372036854775807'), 422, 'unknown_category'],
  ['1e18 for an id', pet('"a"', '1e18'), 422, 'unknown_category'],
  ['-2^53 - 1 for an id', pet('"a"', '-9007199254740993'), 422, 'unknown_category'],
  ['a name given twice', `{"name":"a","name":"a","categoryId":1}`, 400, 'malformed_json'],
  ['a name given twice in two spellings', `{"name":"a","n\\u0061me":"b","categoryId":1}`, 400, 'malformed_json'],
  ['__proto__ given twice', `{"name":"a","categoryId":1,"__proto__":1,"__proto__":1}`, 400, 'malformed_json'],
  ['2^63 for an id', pet('"a"', '9223372036854775808'), 400, 'validation_failed', '/categoryId'],
  ['a fraction that would be rounded', pet('"a"', '1.00000000000000000001'), 400, 'validation_failed', '/categoryId'],
  ['__proto__', `{"name":"a","categoryId":1,"__proto__":{"id":1}}`, 400, 'validation_failed', '/__proto__'],
  ['constructor', `{"name":"a","categoryId":1,"constructor":{}}`, 400, 'validation_failed', '/constructor'],
  ['a body of 300 KiB', pet(`"${'x'.repeat(300 * 1024)}"`), 413, 'body_too_large'],
  ['nesting of 10,000', deep(10_000), 400, 'malformed_json'],
  ['nesting of 33', deep(33), 400, 'malformed_json'],
  ['nesting of 32', deep(32), 400, 'validation_failed', '/a'],
  ['10,000 opening brackets', '['.repeat(10_000), 400, 'malformed_json'],
  ['an unknown category', pet('"a"', 2_000_000_000), 422, 'unknown_category'],
  ['a category of -1', pet('"a"', -1), 422, 'unknown_category'],
  ['a category of -0', pet('"a"', '-0'), 422, 'unknown_category'],
]

for (const [what, body, status, code, path = ''] of bodies) {
  test(what, async () => {
    const requests = [
      ['POST', '/pets'],
      ['PUT', `/pets/${petId}`],
      ['PATCH', `/pets/${petId}`],
    ] as const
    for (const [method, target] of requests) {
      const response = await api.send(method, target, body)
      expect([method, response.status, response.body.code]).toEqual([method, status, code])
      if (code !== 'validation_failed') continue
      expect(response.body.errors.map((fault: { path: string }) => fault.path)).toContain(path)
    }
  })
}

test.each(['with its length', 'in chunks'])(
  'a body %s may have as many bytes as the limit, and not one more',
  async (how) => {
    const post = async (size: number) => {
      const bytes = new TextEncoder().encode(pet('"Large"').padEnd(size))
      const rest = [bytes.subarray(0, 9), bytes.subarray(9)]
      const chunks = new ReadableStream<Uint8Array>({
        pull(controller) {
          const chunk = rest.shift()
          if (chunk) controller.enqueue(chunk)
          else controller.close()
        },
      })
      const body = how === 'in chunks' ? chunks : bytes
      const headers = { 'X-API-Key': service.adminSecret, 'Content-Type': 'application/json' }
      return (await fetch(`${service.url}/pets`, { method: 'POST', headers, body })).status
    }
    const bytesMax = 256 * 1024
    expect([await post(bytesMax - 1), await post(bytesMax), await post(bytesMax + 1)]).toEqual([201, 201, 413])
  },
)

test('a field may be in every object of a list, but not twice in one', async () => {
  const pets = (second: string) =>
    `[{"name":"a:{","categoryId":${categoryId}},{"name":"a","categoryId":${categoryId}${second}}]`
  expect((await api.post('/pets/batch', pets(''))).status).toBe(201)
  expect((await api.post('/pets/batch', pets(',"name":"b"'))).body).toMatchObject({
    code: 'malformed_json',
    message: 'The body has an object in which a name is given twice. Give each name once.',
  })
})

test('an id that cannot exist is as unknown as one that does not, and is named exactly', async () => {
  const unknown = '9007199254740993'
  const order = await api.post('/store/orders', `{"petId":${unknown}}`)
  expect([order.status, order.body.code, order.body.message]).toEqual([
    422,
    'unknown_pet',
    `There is no pet ${unknown}. List the pets to find one that exists.`,
  ])
  const counts = await api.patch(
    '/store/inventory',
    `[{"petId":${petId},"quantity":1},{"petId":${unknown},"quantity":1}]`,
  )
  expect([counts.status, counts.body.code]).toEqual([422, 'unknown_pet'])
  expect(counts.body.errors).toEqual([{ in: 'body', path: '/1/petId', message: `there is no pet ${unknown}` }])
  const pets = await api.post('/pets/batch', `[${pet('"a"', unknown)}]`)
  expect([pets.status, pets.body.code]).toEqual([422, 'unknown_category'])
})

test('a number that is too large for its field is rejected, not rounded', async () => {
  const { body } = await api.post('/store/orders', `{"petId":${petId},"quantity":9007199254740993}`)
  expect(body.errors).toMatchObject([
    { path: '/quantity', message: 'must be a number that can be represented exactly' },
  ])
})

test('exact numbers are accepted in every notation', async () => {
  for (const written of [`${categoryId}.0`, `${categoryId}e0`, `${categoryId}.00000000000000000000`]) {
    expect((await api.post('/pets', pet('"a"', written))).body.categoryId).toBe(categoryId)
  }
})

const addresses: [path: string, status: number, code: string][] = [
  ['/pets/abc', 400, 'validation_failed'],
  ['/pets/1.5', 400, 'validation_failed'],
  ['/pets/1e3', 400, 'validation_failed'],
  ['/pets/0x1', 400, 'validation_failed'],
  ['/pets/9223372036854775808', 400, 'validation_failed'],
  ['/pets/-9223372036854775809', 400, 'validation_failed'],
  ['/pets/9223372036854775807', 404, 'pet_not_found'],
  ['/pets/9007199254740993', 404, 'pet_not_found'],
  ['/pets/-1', 404, 'pet_not_found'],
  ['/pets/%00', 400, 'validation_failed'],
  ['/pets/%zz', 400, 'validation_failed'],
  ['/pets/%ED%A0%80', 400, 'validation_failed'],
  ['/pets?limit=0', 400, 'validation_failed'],
  ['/pets?limit=101', 400, 'validation_failed'],
  ['/pets?limit=1.5', 400, 'validation_failed'],
  ['/pets?limit=', 400, 'validation_failed'],
  ['/pets?limit=1&limit=2', 400, 'validation_failed'],
  ['/pets?sort=id&sort=name', 400, 'validation_failed'],
  ['/pets?q=a&q=b', 400, 'validation_failed'],
  ['/pets?limit=1&limit=2', 400, 'validation_failed'],
  ['/pets?ids=1&ids=x', 400, 'validation_failed'],
  ['/pets?ids=1,,2', 400, 'validation_failed'],
  ['/pets?ids=', 400, 'validation_failed'],
  ['/pets?status=lost', 400, 'validation_failed'],
  ['/pets?status=sold&status=lost', 400, 'validation_failed'],
  ['/pets?sort=age', 400, 'validation_failed'],
  ['/pets?q=%00', 400, 'validation_failed'],
  ['/pets?q=+', 400, 'validation_failed'],
  ['/pets?__proto__=1', 400, 'validation_failed'],
  ['/pets?Limit=1', 400, 'validation_failed'],
  ['/pets?cursor=garbage', 400, 'invalid_cursor'],
  [`/pets?sort=name&cursor=${btoa('["id",1]')}`, 400, 'invalid_cursor'],
  [`/pets?q=${'x'.repeat(9_000)}`, 414, 'uri_too_long'],
]

test.each(addresses)('GET %s is %d', async (path, status, code) => {
  const response = await api.get(path)
  expect([response.status, response.body.code]).toEqual([status, code])
})

test('a URL may have 8 KiB, with its scheme and host', async () => {
  const codeOf = async (length: number) =>
    (await api.get(`/pets?q=${'x'.repeat(length - `${service.url}/pets?q=`.length)}`)).body.code
  expect([await codeOf(8 * 1024), await codeOf(8 * 1024 + 1)]).toEqual(['validation_failed', 'uri_too_long'])
})

test('a fault is reported once, with the tightest bound', async () => {
  const { body } = await api.put(`/store/inventory/${petId}`, '{"quantity":9007199254740992}')
  expect(body.errors).toEqual([{ in: 'body', path: '/quantity', message: 'must be at most 1000000000' }])
})

test('the message says where the first fault is', async () => {
  expect((await api.post('/pets', '[]')).body.message).toBe('1 problem: the body must be an object.')
  const { message } = (await api.post('/pets', '{"name":1}')).body
  expect(message).toBe('2 problems; first: `name` must be a string.')
})

test('a repeated parameter is reported', async () => {
  for (const name of ['limit', 'sort', 'q', 'cursor']) {
    const { body } = await api.get(`/pets?${name}=1&${name}=2`)
    expect(body.errors).toEqual([{ in: 'query', path: `/${name}`, message: 'must be given once' }])
  }
})

test('a parameter that may be repeated may have so many values, in whatever form', async () => {
  const ids = Array.from({ length: 101 }, (_, index) => index + 1)
  for (const query of [`ids=${ids}`, ids.map((id) => `ids=${id}`).join('&')]) {
    const { body } = await api.get(`/pets?${query}`)
    expect(body.errors).toEqual([{ in: 'query', path: '/ids', message: 'must have at most 100 items' }])
  }
})

test.each([
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'application/jsonp',
  'application/merge-patch+json',
])('a body declared as %s is rejected', async (type) => {
  const response = await api.post('/categories', { name: 'Dogs' }, { 'Content-Type': type })
  expect([response.status, response.body.code]).toEqual([415, 'unsupported_media_type'])
})

test('a compressed body is rejected', async () => {
  const response = await api.post('/categories', { name: 'Dogs' }, { 'Content-Encoding': 'gzip' })
  expect(response.status).toBe(415)
})

test.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json ;charset=utf-8'])(
  'a body declared as %s is accepted',
  async (type) => {
    expect((await api.post('/categories', { name: 'Dogs' }, { 'Content-Type': type })).status).toBe(201)
  },
)

// Each of these once took a hundred times the processor time of a plain create. The counts show that they are cut short.
describe('a small request that would be expensive', () => {
  test('a parameter repeated 4,000 times is reported once', async () => {
    const { status, body } = await api.get(`/pets?${'a&'.repeat(4_000)}`)
    expect(status).toBe(400)
    expect(body.errors).toEqual([{ in: 'query', path: '/a', message: 'is not a known parameter' }])
  })

  test('of many unknown fields fifty are listed, and the rest are counted', async () => {
    const fields = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`f${index}`, 1]))
    const { status, body } = await api.post('/pets', { name: 'Rex', categoryId: 1, ...fields })
    expect(status).toBe(400)
    expect(body.errors).toHaveLength(50)
    expect(body.message).toContain('900 problems')
    expect(body.message).toContain('850 more are not listed')
  })

  test.each([
    ['numbers with an exponent', `[${'1e0,'.repeat(65_000)}1]`],
    ['unknown fields', `{${Array.from({ length: 20_000 }, (_, index) => `"f${index}":1`).join(',')}}`],
  ])('a body of thousands of %s is not parsed to its end', async (_, body) => {
    const response = await api.send('POST', '/pets', body)
    expect(response.status).toBe(400)
    expect(response.body.code).toBe('malformed_json')
    expect(response.body.message).toContain('more than 2,000')
  })
})
