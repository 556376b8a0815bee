import { afterAll, expect, test } from 'bun:test'
import { loadContract } from '../contract/checker.ts'
import { pathOf } from '../contract/example-request.ts'
import { startTestHost } from '../harness/sandbox.ts'

const host = await startTestHost()
afterAll(() => host.stop())
const { send, url, apiKey } = host.ready
const contract = await loadContract(url)
const { responses: shared } = contract.description.components

/** Every status that an operation declares, by its number, and every error by its code. */
function declaredBy(responses: Record<string, { $ref?: string }>): [code: string, status: number][] {
  const { default: _, ...declared } = responses
  return Object.entries(declared).flatMap(([status, { $ref }]) => {
    const content = shared[$ref?.split('/').at(-1) ?? '']?.content?.['application/json']
    return [status, ...Object.keys(content?.examples ?? {})].map((code): [string, number] => [code, Number(status)])
  })
}

test.each(contract.operations())('Prefer gives every response that $id declares, as described', async (operation) => {
  const path = pathOf(operation, {})
  const declared = declaredBy(operation.spec.responses)
  expect(declared.length).toBeGreaterThan(10)
  for (const [code, status] of declared) {
    const response = await send(operation.method, path, undefined, { Prefer: `code=${code}` })
    expect([code, response.status]).toEqual([code, status])
    if (!/^\d+$/.test(code)) expect(response.body.code).toBe(code)
    contract.checkChosen(operation.method, path, response, response.body === '' ? undefined : response.body)
  }
})

test.each([
  ['POST', '/pets', /\/pets\/\d+\/profile$/],
  ['POST', '/store/orders', /\/store\/orders\/\d+$/],
  ['PUT', '/store/inventory/1', /\/store\/inventory\/\d+$/],
])('the preferred 201 of %s %s has the URL where such a resource is read', async (method, path, location) => {
  const { headers } = await send(method, path, undefined, { Prefer: 'code=201' })
  expect(headers.get('location')).toStartWith(`${url}/`)
  expect(headers.get('location')).toMatch(location)
})

test('the preferred 304 has the ETag of the preferred 200', async () => {
  const [known, full] = await Promise.all(
    ['304', '200'].map((code) => send('GET', '/categories/1', undefined, { Prefer: `code=${code}` })),
  )
  expect([known?.status, known?.body, full?.status]).toEqual([304, '', 200])
  expect(known?.headers.get('etag')).toBe(full?.headers.get('etag') ?? 'none')
})

test('a preferred stream sends its example and ends', async () => {
  const response = await fetch(`${url}/events/stream`, { headers: { 'X-API-Key': apiKey, Prefer: 'code=200' } })
  const [message = '', ...others] = (await response.text()).split('\n\n')
  contract.checkMessage(message)
  expect(others).toEqual([''])
})

test.each([
  ['Code=404', 404],
  ['CODE="404"', 404],
  ['code = 404', 404],
  ['wait=5, code=pet_not_found', 404],
  ['code=404, code=503', 404],
  ['foo="x code=404"', 200],
  ['foo="x\\", code=404"', 200],
  ['xcode=404', 200],
  ['code=404-x', 400],
  ['code=0x194', 400],
  ['code=4.04e2', 400],
  ['code=constructor', 400],
  ['code=', 400],
  ['code', 400],
])('Prefer: %s leads to %d', async (prefer, status) => {
  expect((await send('GET', '/pets/1/profile', undefined, { Prefer: prefer })).status).toBe(status)
})
