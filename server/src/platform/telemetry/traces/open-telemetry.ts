import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Span, SpanOptions, Tracer } from './tracer.ts'

// Imported only if traces are wanted: loading the packages takes longer than everything else at the start.

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL }

interface OpenSpan extends Span {
  readonly context: Context
}

/** Sends spans by OTLP over HTTP, as JSON. Headers, sampling and resource attributes are set by OpenTelemetry's own variables. */
export function startTracing(endpoint: string, version: string): Tracer {
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'petstore', 'service.version': version }))
      .merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [
      new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` }) }),
    ],
  })
  const tracer = provider.getTracer('petstore', version)
  const storage = new AsyncLocalStorage<OpenSpan>()

  function start({ name, kind, parent, attributes = {} }: SpanOptions): OpenSpan {
    const given = parent === undefined ? undefined : parseTraceparent(parent)
    const outer = given ? trace.setSpanContext(ROOT_CONTEXT, given) : (storage.getStore()?.context ?? ROOT_CONTEXT)
    const span = tracer.startSpan(name, { kind: kinds[kind], attributes }, outer)
    const { traceId, spanId, traceFlags } = span.spanContext()
    return {
      context: trace.setSpan(outer, span),
      traceId,
      traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`,
      set: (more) => void span.setAttributes(more),
      note: (what) => void span.addEvent(what),
      fail: () => void span.setStatus({ code: SpanStatusCode.ERROR }),
      end: () => span.end(),
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
    stop: () => provider.shutdown().catch(() => undefined),
  }
}

/** The span that the W3C header `traceparent` names; undefined if it is not valid. */
function parseTraceparent(text: string): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] =
    /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-.*)?$/.exec(text) ?? []
  const isValid = /[^0]/.test(traceId) && /[^0]/.test(spanId)
  return isValid
    ? { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED, isRemote: true }
    : undefined
}
