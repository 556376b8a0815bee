import type { Awaitable } from '../../lib/awaitable.ts'

export interface SpanOptions {
  readonly name: string
  /** `server`: handles an incoming request. `client`: makes an outgoing one. */
  readonly kind: 'server' | 'client' | 'internal'
  /** The `traceparent` of the span that caused this one; by default the span in which this one starts. */
  readonly parent?: string | undefined
  readonly attributes?: Readonly<Record<string, string | number>>
}

export interface Span {
  /** For the header `traceparent`. */
  readonly traceparent: string
  readonly traceId: string
  set(attributes: Readonly<Record<string, string | number>>): void
  /** Notes that something happened now. */
  note(what: string): void
  fail(): void
  end(): void
}

/** Records what a request does, as spans of a trace. Exists only if OTEL_EXPORTER_OTLP_ENDPOINT is set. */
export interface Tracer {
  /** Starts a span that the caller ends. */
  start(options: SpanOptions): Span
  /** Runs `work` in a span that ends with it. */
  run<T>(options: SpanOptions, work: (span: Span) => Awaitable<T>): Awaitable<T>
  /** Runs `work` as part of a span that is still open. */
  within<T>(span: Span, work: () => T): T
  /** The span that the current work is part of. */
  current(): Span | undefined
  /** Sends what has not been sent yet. */
  stop(): Promise<void>
}
