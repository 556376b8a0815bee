import { expect, test } from 'bun:test'
import { recordSpans } from '../../src/platform/telemetry/traces/record-spans.ts'
import { sendSpans } from '../../src/platform/telemetry/traces/send-spans.ts'
import type { Sampler } from '../../src/platform/telemetry/traces/settings.ts'
import type { Tracer } from '../../src/platform/telemetry/traces/tracer.ts'
import { eventually } from '../harness/eventually.ts'

interface SentSpan {
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

interface Exported {
  readonly resourceSpans: [{ resource: { attributes: object[] }; scopeSpans: [{ spans: SentSpan[] }] }]
}

/** A collector that gives its responses in order, then takes everything. */
function startCollector(...responses: Response[]) {
  const sent: { authorization: string | null; resource: object[]; spans: SentSpan[] }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const { resourceSpans } = (await request.json()) as Exported
      const [{ resource, scopeSpans }] = resourceSpans
      const authorization = request.headers.get('Authorization')
      sent.push({ authorization, resource: resource.attributes, spans: scopeSpans[0].spans })
      return responses.shift() ?? Response.json({})
    },
  })
  return { url: server.url.href, sent, [Symbol.dispose]: () => void server.stop(true) }
}

/** A clock that stands still counts as set back. */
const now = () => Date.parse('2026-11-18T12:00:00Z') + performance.now()

function startTracer(endpoint: string, sampler: Sampler = 'parentbased_always_on', ratio = 1) {
  const failures: string[] = []
  const headers = { Authorization: 'Bearer of-us' }
  const settings = { endpoint, headers, resource: { 'host.name': 'one' }, sampler, ratio }
  const onFailure = (error: unknown) => void failures.push(String(error))
  return { failures, tracer: recordSpans(settings, sendSpans({ ...settings, version: '1.2.3', now, onFailure })) }
}

function record(tracer: Tracer, count: number): void {
  for (let at = 0; at < count; at += 1) tracer.start({ name: `span ${at}`, kind: 'internal' }).end()
}

test('a full batch is sent at once, and again after a 503, with headers, resource and the time of the clock', async () => {
  using collector = startCollector(new Response(null, { status: 503 }))
  const { tracer, failures } = startTracer(collector.url)
  record(tracer, 600)
  await eventually(() => failures.length === 1)
  expect(failures).toEqual([`Error: ${collector.url}v1/traces responded with 503`])
  await tracer.stop()
  expect(collector.sent.map(({ spans }) => spans.length)).toEqual([512, 512, 88])
  const [first, again, last] = collector.sent
  expect(again?.spans).toEqual(first?.spans ?? [])
  expect([last?.authorization, last?.spans.at(-1)?.name]).toEqual(['Bearer of-us', 'span 599'])
  expect(last?.resource).toEqual([
    { key: 'service.name', value: { stringValue: 'petstore' } },
    { key: 'service.version', value: { stringValue: '1.2.3' } },
    { key: 'host.name', value: { stringValue: 'one' } },
  ])
  const { startTimeUnixNano = '', endTimeUnixNano = '' } = first?.spans[0] ?? {}
  expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))
  expect(new Date(Number(startTimeUnixNano) / 1e6).toISOString()).toStartWith('2026-11-18T12:')
})

test('what the collector rejects is dropped, and one that asks for time is left alone, even at the end', async () => {
  const busy = new Response(null, { status: 429, headers: { 'Retry-After': '3600' } })
  using collector = startCollector(new Response(null, { status: 413 }), busy)
  const { tracer, failures } = startTracer(collector.url)
  record(tracer, 600)
  await eventually(() => failures.length === 2)
  record(tracer, 600)
  await tracer.stop()
  expect(collector.sent.map(({ spans }) => spans.length)).toEqual([512, 88])
})

test('while the collector is away, a bounded number of spans waits for it', async () => {
  using collector = startCollector(new Response(null, { status: 503 }))
  const { tracer, failures } = startTracer(collector.url)
  record(tracer, 5_000)
  await eventually(() => failures.length === 1)
  await tracer.stop()
  expect(collector.sent.map(({ spans }) => spans.length)).toEqual([512, 512, 512, 512, 512])
})

test('stopping with no collector takes one attempt', async () => {
  const away = startCollector()
  away[Symbol.dispose]()
  const { tracer, failures } = startTracer(away.url)
  record(tracer, 100)
  await tracer.stop()
  expect(failures.length).toBe(1)
})

const called = '00-0af7651916cd43dd84ffffffffffffff-b7ad6b7169203331-01'
const calledUnsampled = called.replace(/01$/, '00')
test.each<[Sampler, number, string | undefined, boolean]>([
  ['always_on', 1, undefined, true],
  ['always_on', 1, calledUnsampled, true],
  ['always_off', 1, called, false],
  ['traceidratio', 0, called, false],
  ['traceidratio', 0.01, calledUnsampled, true],
  ['traceidratio', 0.5, called.replace('84ffff', '840000'), false],
  ['parentbased_always_on', 1, undefined, true],
  ['parentbased_always_on', 1, calledUnsampled, false],
  ['parentbased_always_off', 1, undefined, false],
  ['parentbased_always_off', 1, called, true],
  ['parentbased_traceidratio', 0, undefined, false],
  ['parentbased_traceidratio', 0, called, true],
])('with %s %d, a request with the traceparent %p is sent: %p', async (sampler, ratio, parent, isSent) => {
  using collector = startCollector()
  const { tracer } = startTracer(collector.url, sampler, ratio)
  await tracer.run({ name: 'outer', kind: 'server', parent }, async (outer) => {
    expect(outer.traceparent).toMatch(isSent ? /-01$/ : /-00$/)
    await tracer.run({ name: 'inner', kind: 'internal' }, ({ traceId }) => expect(traceId).toBe(outer.traceId))
  })
  await tracer.stop()
  expect(collector.sent.flatMap(({ spans }) => spans.map(({ name }) => name))).toEqual(isSent ? ['inner', 'outer'] : [])
})
