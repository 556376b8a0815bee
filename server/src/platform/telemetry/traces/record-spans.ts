import { AsyncLocalStorage } from 'node:async_hooks'
import { systemRandom } from '../../lib/random.ts'
import type { SpanRecord } from './send-spans.ts'
import type { TraceSettings } from './settings.ts'
import type { Span, SpanOptions, Tracer } from './tracer.ts'

interface OpenSpan extends Span {
  readonly spanId: string
  /** Whether the trace is sent. If not, its id is still passed on. */
  readonly isSampled: boolean
}

type Parent = Pick<OpenSpan, 'traceId' | 'spanId' | 'isSampled'>

interface Sender {
  add(span: SpanRecord): void
  stop(): Promise<void>
}

/** Records spans of the traces that the sampler chooses, and hands them to the sender when they end. */
export function recordSpans({ sampler, ratio }: TraceSettings, sender: Sender): Tracer {
  const storage = new AsyncLocalStorage<OpenSpan>()

  /** Decided once per trace: its other spans in this process follow. */
  function isChosen(traceId: string, caller: Parent | undefined): boolean {
    if (caller && sampler.startsWith('parentbased_')) return caller.isSampled
    if (sampler.endsWith('traceidratio')) return isWithin(ratio, traceId)
    return sampler.endsWith('always_on')
  }

  function start({ name, kind, parent, attributes = {} }: SpanOptions): OpenSpan {
    const caller = parent === undefined ? undefined : parseTraceparent(parent)
    const outer = caller ?? storage.getStore()
    const traceId = outer?.traceId ?? randomHex(16)
    const isSampled = outer && outer !== caller ? outer.isSampled : isChosen(traceId, caller)
    const record: SpanRecord = {
      ...{ traceId, spanId: randomHex(8), parentSpanId: outer?.spanId, name, kind, startedAt: performance.now() },
      ...{ attributes: { ...attributes }, events: [], hasFailed: false, endedAt: undefined },
    }
    return {
      ...{ traceId, spanId: record.spanId, isSampled },
      traceparent: `00-${traceId}-${record.spanId}-${isSampled ? '01' : '00'}`,
      set: (more) => void Object.assign(record.attributes, more),
      note: (what) => void record.events.push({ name: what, at: performance.now() }),
      fail() {
        record.hasFailed = true
      },
      end() {
        if (record.endedAt !== undefined) return
        record.endedAt = performance.now()
        if (isSampled) sender.add(record)
      },
    }
  }

  return {
    start,
    run(options, work) {
      const span = start(options)
      const fail = (error: unknown) => {
        span.fail()
        span.end()
        throw error
      }
      try {
        const result = storage.run(span, () => work(span))
        if (!(result instanceof Promise)) {
          span.end()
          return result
        }
        return result.then((value) => {
          span.end()
          return value
        }, fail)
      } catch (error) {
        return fail(error)
      }
    },
    within: (span, work) => storage.run(span as OpenSpan, work),
    current: () => storage.getStore(),
    stop: sender.stop,
  }
}

const randomHex = (bytes: number): string => Buffer.from(systemRandom.bytes(bytes)).toString('hex')

/** Compares the last 56 bits of the trace's id, as every service in the trace does. */
const isWithin = (ratio: number, traceId: string): boolean =>
  BigInt(`0x${traceId.slice(-14)}`) >= BigInt(Math.round((1 - ratio) * 2 ** 56))

/** The span that the W3C header `traceparent` names; undefined if the header is invalid. */
function parseTraceparent(text: string): Parent | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(text) ?? []
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId)
  return isValid ? { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 } : undefined
}
