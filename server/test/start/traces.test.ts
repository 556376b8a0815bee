import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../platform/webhooks/shop.ts'

interface Span {
  readonly name: string
  readonly kind: number
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
}

interface Exported {
  readonly resourceSpans: { readonly scopeSpans: { readonly spans: Span[] }[] }[]
}

/** A collector that keeps what it gets. */
const spans: Span[] = []
const paths = new Set<string>()
const collector = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { resourceSpans } = (await request.json()) as Exported
    paths.add(new URL(request.url).pathname)
    for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
    return Response.json({})
  },
})
afterAll(() => collector.stop(true))

const serverKind = 2
const textOf = ({ attributes }: Span, key: string) => attributes.find((each) => each.key === key)?.value.stringValue

test('a request is a trace of its statements, commit and webhook attempts, continues the trace of its caller, and is in the log', async () => {
  const service = await startShop({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}/`, LOG_LEVEL: 'info' },
  })
  const [traceId, callerId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']
  const headers = { traceparent: `00-${traceId}-${callerId}-01`, 'X-Request-Id': 'traced' }
  await using receiver = await startReceiver()
  const client = await service.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await service.admin.post('/categories', { name: 'only a value' }, headers)
  await service.admin.get('/categories', { traceparent: 'nonsense', 'X-Request-Id': 'alone' })
  await client.post(`${webhook.path}/ping`, undefined, { traceparent: headers.traceparent })
  const traceOf = (type: string) => receiver.received.find(({ event }) => event.type === type)?.headers.traceparent
  await eventually(() => traceOf('category.created') && traceOf('webhook.ping'))
  service.context.log.flush()
  // Sends what is left.
  await service.stop()

  expect([...paths]).toEqual(['/v1/traces'])
  const own = spans.filter((span) => span.traceId === traceId)
  const request = own.find(({ name }) => name === 'createCategory') as Span
  expect(request).toMatchObject({ parentSpanId: callerId, kind: serverKind })
  expect(textOf(request, 'http.route')).toBe('/categories')
  expect(request.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } })
  const transaction = own.find(({ name }) => name === 'transaction') as Span
  expect(transaction.parentSpanId).toBe(request.spanId)
  const insert = own.find(({ name }) => name.includes('INSERT categories')) as Span
  expect(textOf(insert, 'db.query.text')).toContain('INSERT INTO categories')
  expect(own.find(({ name }) => name === 'COMMIT')?.parentSpanId).toBe(transaction.spanId)
  expect(JSON.stringify(spans)).not.toContain('only a value')

  const lines = service.logged
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const logged = (requestId: string) => lines.find((line) => line.requestId === requestId)?.traceId
  expect(logged('traced')).toBe(traceId)
  const alone = spans.find((span) => span.name === 'listCategories') as Span
  expect([alone.parentSpanId ?? '', logged('alone')]).toEqual(['', alone.traceId])

  const attempts = spans.filter(({ name }) => name === 'webhook attempt')
  const caused = attempts.find((span) => span.traceId === traceId) as Span
  expect(caused.parentSpanId).toBe(transaction.spanId)
  expect(traceOf('category.created')).toBe(`00-${traceId}-${caused.spanId}-01`)
  const ping = attempts.find((span) => span.traceId !== traceId) as Span
  expect(traceOf('webhook.ping')).toBe(`00-${ping.traceId}-${ping.spanId}-01`)
})
