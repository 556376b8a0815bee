import { cpuUsage } from 'node:process'
import type { Counter, Metric, Registry } from 'prom-client'

/** In seconds. The slowest request that the service waits for takes less than the last bound. */
const durationBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** A value with the values of its labels, in the order of the label names. */
export type Reading = readonly [value: number, ...labels: string[]]

/** A metric whose value is read on each scrape, so that counting costs a request next to nothing. */
interface ReadMetric {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge'
  readonly labels?: readonly string[]
  readonly read: () => number | Iterable<Reading>
}

interface HistogramMetric {
  readonly name: string
  readonly help: string
  readonly labels?: readonly string[]
  readonly bounds?: readonly number[]
}

export interface Metrics {
  add(metric: ReadMetric): void
  /** Returns a function that takes label values and returns the function that counts for them. By default, bounds are in seconds. */
  addHistogram(metric: HistogramMetric): (...labels: string[]) => Observe
  /** Adds memory, CPU time, open files and event loop lag. They belong to the process, so only one service in it may add them. */
  addProcess(): void
  /** The Prometheus text format. */
  render(): Promise<string>
}

type AddTo = (registry: Registry, library: typeof import('prom-client')) => void

/** The metrics of one service. The first scrape loads the library and creates the registry: most sandboxes are never scraped. */
export function createMetrics(): Metrics {
  /** Metrics that are not in the registry yet. */
  let added: AddTo[] = []
  let registry: Registry | undefined

  async function updateRegistry(): Promise<Registry> {
    const library = await import('prom-client')
    registry ??= new library.Registry()
    for (const addTo of added) addTo(registry, library)
    added = []
    return registry
  }

  return {
    add: ({ name, help, kind, labels: labelNames = [], read }) =>
      void added.push((registry, { Counter, Gauge }) => {
        const common = { name, help, labelNames: [...labelNames], registers: [registry] }
        const readingsOf = () => {
          const readings = read()
          return typeof readings === 'number' ? [[readings] as const] : readings
        }
        const labelsOf = (values: readonly string[]) =>
          Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']))
        const collect = (set: (labels: Record<string, string>, value: number) => void) => {
          for (const [value, ...labels] of readingsOf()) set(labelsOf(labels), value)
        }
        if (kind === 'gauge') {
          const gauge = new Gauge({
            ...common,
            collect() {
              if (labelNames.length > 0) gauge.reset()
              collect((labels, value) => gauge.set(labels, value))
            },
          })
        } else {
          const counter = new Counter({
            ...common,
            collect() {
              counter.reset()
              collect((labels, value) => counter.inc(labels, value))
            },
          })
        }
      }),

    addHistogram({ name, help, labels = [], bounds = durationBounds }) {
      const histogram = createHistogram(bounds)
      const metric = {
        name,
        help,
        type: 'histogram',
        get: async () => ({ name, help, type: 'histogram', values: histogram.samples(name, labels) }),
      }
      added.push((registry) => registry.registerMetric(metric as unknown as Metric))
      return histogram.series
    },

    addProcess: () =>
      void added.push((registry, { collectDefaultMetrics }) => {
        collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: lagPrecisionMs })
        for (const { name } of registry.getMetricsAsArray()) if (isMeaningless(name)) registry.removeSingleMetric(name)
        // The library counts only from this first scrape on, so add what was used before.
        const { user, system } = cpuUsage()
        const used = { seconds: user + system, user_seconds: user, system_seconds: system }
        for (const [name, micros] of Object.entries(used))
          (registry.getSingleMetric(`process_cpu_${name}_total`) as Counter).inc(micros / 1e6)
      }),

    render: async () => (await updateRegistry()).metrics(),
  }
}

/** Often enough to see a blocked event loop, and rarely enough that an idle service stays idle. */
const lagPrecisionMs = 50

/** Metrics that the library can read on Node but not on Bun, and a heap size that includes memory that is only reserved. */
const isMeaningless = (name: string): boolean =>
  /^nodejs_(active|heap_space|gc|version)|_(min|stddev|p50|p90)_seconds$|^process_heap/.test(name)

/** The observations with one set of label values. */
interface Series {
  readonly labels: readonly string[]
  /** By bound; the last one counts what exceeds all bounds. */
  readonly buckets: number[]
  count: number
  sum: number
}

export type Observe = (value: number) => void

/** A sample in the text format: the value with its labels, of the metric or of one of its parts (`_bucket`, `_sum`, `_count`). */
interface Sample {
  readonly metricName: string
  readonly labels: Record<string, string | number>
  readonly value: number
}

/** Counts values by bounds, in a tenth of the time of the library's histogram, because every request is counted (decision 25). */
function createHistogram(bounds: readonly number[]) {
  const all = new Map<string, Series>()
  return {
    /** Returns a function that counts a value with these label values. */
    series(...labels: string[]): Observe {
      const newSeries = () => ({ labels, buckets: [...bounds, 0].fill(0), count: 0, sum: 0 })
      const series = all.getOrInsertComputed(labels.join(' '), newSeries)
      return (value) => {
        series.count++
        series.sum += value
        let bucket = 0
        while (value > (bounds[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
        series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
      }
    },
    samples: (name: string, labelNames: readonly string[]): Sample[] =>
      [...all.values()].flatMap(({ labels: values, buckets, count, sum }) => {
        const labels = Object.fromEntries(labelNames.map((label, index) => [label, values[index] ?? '']))
        let cumulative = 0
        const ofBuckets = buckets.map((inBucket, index) => {
          cumulative += inBucket
          return { metricName: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '+Inf' }, value: cumulative }
        })
        return [
          ...ofBuckets,
          { metricName: `${name}_sum`, labels, value: sum },
          { metricName: `${name}_count`, labels, value: count },
        ]
      }),
  }
}
