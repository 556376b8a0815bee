import { afterAll, describe, expect, test } from 'bun:test'
import { Client as AgentClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { library } from '../../../examples/second-shop/library.ts'
import { readConfig } from '../../src/config.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { startHost } from '../../src/sandbox/start-host.ts'
import { eventually } from '../harness/eventually.ts'
import { newDirectory } from '../harness/scratch.ts'
import { type Client, startService, testClock } from '../harness/service.ts'
import { startAnyReceiver, verify } from '../platform/webhooks/receiver.ts'

// Another service on the platform, of which the platform and the surfaces know nothing.

// The real time, by which the standard's library checks signatures.
const clock = testClock(Date.now())
const env = { SAMPLE_DATA: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' }
const service = await startService({ shop: library, clock, env })
afterAll(() => service.stop())
const librarian = await service.newClient({ preset: 'librarian' })

async function addBook(client: Client, title = 'Emma'): Promise<number> {
  const { status, body } = await client.post('/books', { title })
  expect(status).toBe(201)
  return body.id
}

describe('a second shop on the platform', () => {
  test('has its sample data, keys with its scopes, and limits', async () => {
    const reader = await service.newClient({ plan: 'free', preset: 'reader' })
    const { body, headers } = await reader.get('/books?limit=2')
    expect(body.map(({ title }: { title: string }) => title)).toEqual(['Middlemarch', 'Dracula'])
    expect(headers.get('link')).toContain('rel="next"')
    expect(headers.get('x-ratelimit-limit')).toBe('60')
    const rejected = await reader.post('/books', { title: 'Emma' })
    expect([rejected.status, rejected.body.code]).toEqual([403, 'insufficient_scope'])
    expect((await service.admin.post('/keys', { name: 'Typo', plan: 'free', scopes: ['pets:read'] })).status).toBe(400)
  })

  test('repeats a POST safely, and rejects a conflict with its own error', async () => {
    const id = await addBook(librarian)
    const lend = (reader: string, key: string) =>
      librarian.post(`/books/${id}/lend`, { reader }, { 'Idempotency-Key': key })
    const first = await lend('Ann', `lend ${id}`)
    const again = await lend('Ann', `lend ${id}`)
    expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true'])
    expect(again.body).toEqual({ id, title: 'Emma', reader: 'Ann' })
    for (const replayed of [null, 'true']) {
      const { status, body, headers } = await lend('Bob', `lend ${id} to Bob`)
      expect([status, body.code, headers.get('idempotent-replayed')]).toEqual([409, 'book_lent', replayed])
      expect(body.message).toBe(`Book ${id} is lent to Ann. Wait until it is returned, or lend another one.`)
    }
    expect((await librarian.post(`/books/${id}/return`)).body).toEqual({ id, title: 'Emma' })
    expect((await librarian.post(`/books/${id}/return`)).body.code).toBe('book_not_lent')
  })

  test('detects concurrent edits', async () => {
    const id = await addBook(librarian)
    const { headers } = await librarian.get(`/books/${id}`)
    const ifMatch = { 'If-Match': headers.get('etag') ?? '' }
    expect((await librarian.get(`/books/${id}`, { 'If-None-Match': ifMatch['If-Match'] })).status).toBe(304)
    expect((await librarian.post(`/books/${id}/lend`, { reader: 'Ann' }, ifMatch)).status).toBe(200)
    expect((await librarian.post(`/books/${id}/return`, undefined, ifMatch)).body.code).toBe('precondition_failed')
  })

  test('records its events, and sends them to webhooks', async () => {
    await using receiver = await startAnyReceiver()
    const webhook = await librarian.post('/webhooks', { url: receiver.url, events: ['book.lent'] })
    const id = await addBook(librarian)
    await librarian.post(`/books/${id}/lend`, { reader: 'Ann' })
    const lent = { type: 'book.lent', data: { id, title: 'Emma', reader: 'Ann' }, previous: { reader: null } }
    const { body } = await librarian.get('/events?type=book.*&sort=-id&limit=1')
    expect(body).toMatchObject([lent])
    const received = await eventually(() => receiver.received[0])
    expect(received.event).toMatchObject(lent)
    verify(webhook.body.secret, received)
  })

  test('has a reference, an error catalogue and a home page', async () => {
    const pages = {
      '/docs': 'id="lendBook"',
      '/errors': 'id="book_lent"',
      '/': 'Lend books over HTTP',
      '/docs.md': '/books',
    }
    for (const [path, expected] of Object.entries(pages)) {
      const page = await fetch(service.url + path)
      const text = await page.text()
      expect([path, page.status]).toEqual([path, 200])
      expect(text).toContain(expected)
      expect(text).not.toMatch(/\bpets?\b|Pet Store/i)
      for (const [, link = ''] of text.matchAll(/<a [^>]*href="(\/[^"#]*)/g))
        expect([path, link, (await fetch(service.url + link)).status]).toEqual([path, link, 200])
    }
  })

  test('offers its operations to agents', async () => {
    const agent = new AgentClient({ name: 'test', version: '1.0.0' })
    const requestInit = { headers: { 'X-API-Key': librarian.secret ?? '' } }
    await agent.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit }))
    const { tools } = await agent.listTools()
    expect(tools.map(({ name }) => name)).toContainValues(['list_books', 'lend_book', 'return_book'])
    const id = await addBook(librarian)
    const { structuredContent } = await agent.callTool({ name: 'lend_book', arguments: { bookId: id, reader: 'Ann' } })
    expect(structuredContent).toMatchObject({ id, reader: 'Ann' })
    await agent.close()
  })

  test('runs in a sandbox', async () => {
    using directory = newDirectory()
    const config = readConfig({ PORT: '0', HOST: '127.0.0.1', BASE_URL: 'http://127.0.0.1:0' })
    const log = createLog('error', () => undefined, service.clock.now)
    const { ready, stop } = await startHost({ shop: library, config, log, directory: directory.path })
    try {
      const headers = { 'X-API-Key': ready.apiKey }
      const books = (await (await fetch(`${ready.url}/books`, { headers })).json()) as unknown[]
      expect(books).toHaveLength(3)
      const rejected = await fetch(`${ready.url}/books/1/lend`, {
        method: 'POST',
        headers: { ...headers, Prefer: 'code=book_lent', 'Content-Type': 'application/json' },
        body: '{"reader":"Ann"}',
      })
      expect([rejected.status, ((await rejected.json()) as { code: string }).code]).toEqual([409, 'book_lent'])
    } finally {
      await stop()
    }
  })
})
