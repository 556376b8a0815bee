import type { Tracer } from './tracer.ts'

/** Starts tracing if there is somewhere to send traces. Otherwise not even the packages are loaded. */
export async function openTracer(endpoint: string | undefined, version: string): Promise<Tracer | undefined> {
  if (endpoint === undefined) return undefined
  const { startTracing } = await import('./open-telemetry.ts')
  return startTracing(endpoint, version)
}
