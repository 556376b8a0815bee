import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { type ApiResponse, startService } from '../harness/service.ts'
import { bodyOf, declares, newAdministrator, newIds, newIdsFor, pathOf } from './example-request.ts'

// The examples in the description work.

const service = await startService()
afterAll(() => service.stop())
const api = await newAdministrator(service)
const operations = service.contract.operations()
const { baseUrl } = service.context.config

test.each(operations)('the example of $id works', async (operation) => {
  const ids = await newIdsFor(operation, api)
  const response = await api.send(operation.method, pathOf(operation, ids), bodyOf(operation, ids))
  expect(Object.keys(operation.spec.responses).filter((status) => status < '300')).toContain(String(response.status))
})

test.each(operations.filter((operation) => declares(operation, 304)))(
  '$id returns 304 to a client that has it already, and 200 after a change',
  async (operation) => {
    const path = pathOf(operation, await newIds(api))
    // A delivery changes with its attempt, which may come between the two.
    const { etag, again } = await eventually(async () => {
      const etag = (await api.get(path)).headers.get('etag') ?? ''
      const again = await api.get(path, { 'If-None-Match': `"other", W/${etag}` })
      return again.status === 304 && { etag, again }
    })
    expect(etag).toMatch(/^"[\w.-]+"$/)
    expect(again.text).toBe('')
    expect(again.headers.get('etag')).toBe(etag)
    expect((await api.get(path, { 'If-None-Match': '*' })).status).toBe(304)
    expect((await api.get(path, { 'If-None-Match': '"other"' })).status).toBe(200)
  },
)

test.each(operations.filter(({ method }) => method === 'GET'))(
  '$id handles HEAD with the headers of GET and no body',
  async (operation) => {
    const path = pathOf(operation, await newIds(api))
    const etagOf = ({ headers }: ApiResponse) => headers.get('etag')
    const [get, head] = await eventually(async () => {
      const both = [await api.get(path), await api.send('HEAD', path)] as const
      return etagOf(both[0]) === etagOf(both[1]) && both
    })
    expect(head.status).toBe(get.status)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'x-stability', 'deprecation', 'x-ratelimit-limit']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
  },
)

test.each(operations.filter(({ spec }) => spec.responses[201]?.headers.Location))(
  'the Location of $id is the absolute URL of what was created, by a non-deprecated operation',
  async (operation) => {
    const ids = await newIds(api)
    const path = pathOf(operation, ids)
    if (operation.method === 'PUT') await api.delete(path)
    const created = await api.send(operation.method, path, bodyOf(operation, ids))
    expect(created.status).toBe(201)
    const location = created.headers.get('location') ?? ''
    expect(location).toStartWith(`${baseUrl}/`)
    const found = await api.get(location.replace(baseUrl, ''))
    expect([found.status, found.headers.get('deprecation')]).toEqual([200, null])
    const { secret: _, ...fields } = created.body
    expect(found.body).toMatchObject(fields)
  },
)

test.each(operations.filter(({ spec }) => !spec.deprecated && spec.responses[200]?.headers?.Link))(
  'a page of $id links to more',
  async (operation) => {
    await newIds(api)
    const ids = await newIds(api)
    // Lists below a resource need two items as well.
    await api.patch(`/store/orders/${ids.orderId}`, { quantity: 2 })
    await api.post(`/webhooks/${ids.webhookId}/ping`)
    const path = pathOf(operation, ids)
    const { headers } = await api.get(`${path}?limit=1`)
    expect(headers.get('link')).toContain(`<${baseUrl}${path}?`)
  },
)
