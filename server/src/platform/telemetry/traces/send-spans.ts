import { repeat } from '../../lib/repeat.ts'
import type { TraceSettings } from './settings.ts'
import type { SpanOptions } from './tracer.ts'

/** A span. Its times are readings of `performance.now()`. */
export interface SpanRecord {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: SpanOptions['kind']
  readonly attributes: Record<string, string | number>
  readonly events: { readonly name: string; readonly at: number }[]
  readonly startedAt: number
  endedAt: number | undefined
  hasFailed: boolean
}

interface Options extends Pick<TraceSettings, 'endpoint' | 'headers' | 'resource'> {
  readonly version: string
  /** Milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly onFailure: (error: unknown) => void
}

const sendEveryMs = 5_000
const batchMax = 512
/** Spans beyond this many are dropped while the collector is unavailable. */
const queuedMax = 2_048
const timeoutMs = 5_000
/** If the machine's clock differs from elapsed time by more than this, it was set. */
const driftMsMax = 50
/** The collector may accept the same batch later. */
const passingStatuses = [429, 502, 503, 504]

/** Sends spans to a collector by OTLP over HTTP, as JSON, in batches. */
export function sendSpans({ endpoint, headers, resource, version, now, onFailure }: Options) {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const origin = toAttributes({ 'service.name': 'petstore', 'service.version': version, ...resource })
  const scope = { name: 'petstore', version }
  const queue: SpanRecord[] = []
  let epochMs = now() - performance.now()
  /** The collector wants nothing before this time, not even a full batch or what is left at shutdown. */
  let notBefore = 0

  /** Sends everything in the queue. Returns how many milliseconds to wait before the next time. */
  async function sendAll(): Promise<number> {
    if (performance.now() < notBefore) return notBefore - performance.now()
    const epochNow = now() - performance.now()
    if (Math.abs(epochNow - epochMs) > driftMsMax) epochMs = epochNow
    while (queue.length > 0) {
      const batch = queue.slice(0, batchMax)
      const body = {
        resourceSpans: [{ resource: { attributes: origin }, scopeSpans: [{ scope, spans: batch.map(show) }] }],
      }
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
        // The headers may contain credentials, which are for this collector only.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      await response.body?.cancel()
      if (!response.ok) onFailure(new Error(`${url} responded with ${response.status}`))
      if (passingStatuses.includes(response.status)) {
        notBefore = performance.now() + retryAfterMs(response)
        return sendEveryMs
      }
      queue.splice(0, batch.length)
    }
    return sendEveryMs
  }
  const task = repeat(sendAll, onFailure, { firstMs: sendEveryMs, failedMs: sendEveryMs })

  const show = (span: SpanRecord) => ({
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentSpanId && { parentSpanId: span.parentSpanId }),
    name: span.name,
    kind: kinds[span.kind],
    startTimeUnixNano: toNano(epochMs + span.startedAt),
    endTimeUnixNano: toNano(epochMs + (span.endedAt ?? span.startedAt)),
    attributes: toAttributes(span.attributes),
    events: span.events.map(({ name, at }) => ({ name, timeUnixNano: toNano(epochMs + at) })),
    status: span.hasFailed ? { code: statusError } : {},
  })

  return {
    add(span: SpanRecord): void {
      if (queue.length >= queuedMax) return
      queue.push(span)
      if (queue.length === batchMax) task.wake()
    },
    /** Sends what has not been sent yet, if the collector accepts it. */
    async stop(): Promise<void> {
      await task.run()
      await task.stop()
    },
  }
}

// Numbers from the protocol.
const kinds = { internal: 1, server: 2, client: 3 }
const statusError = 2

const toAttributes = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value: toValue(value) }))

function toValue(value: string | number) {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: value } : { doubleValue: value }
}

/** As decimal text, because a JSON number cannot hold it exactly. */
const toNano = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n)

function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('Retry-After') ?? 0)
  return seconds > 0 ? seconds * 1_000 : 0
}
