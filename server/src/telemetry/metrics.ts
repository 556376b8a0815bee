const bucketsMs = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000]

interface Series {
  readonly buckets: number[]
  count: number
  sumMs: number
}

const newOperation = () => new Map<number, Series>()
/** The last bucket counts requests slower than all bounds. */
const newSeries = (): Series => ({ buckets: [...bucketsMs, 0].fill(0), count: 0, sumMs: 0 })

/** A metric whose value is read on each scrape. */
interface Gauge {
  readonly name: string
  readonly help: string
  readonly kind: 'counter' | 'gauge'
  readonly read: () => number
}

export interface RequestMetrics {
  /** Returns a function that records each response of an operation. */
  forOperation(operation: string): (status: number, durationMs: number) => void
  add(gauge: Gauge): void
  /** The Prometheus text format. */
  render(): string
}

export function createMetrics(): RequestMetrics {
  const requests = new Map<string, Map<number, Series>>()
  const gauges: Gauge[] = []

  return {
    forOperation(operation) {
      const byStatus = requests.getOrInsertComputed(operation, newOperation)
      return (status, durationMs) => {
        const series = byStatus.getOrInsertComputed(status, newSeries)
        series.count++
        series.sumMs += durationMs
        let bucket = 0
        while (durationMs > (bucketsMs[bucket] ?? Number.POSITIVE_INFINITY)) bucket++
        series.buckets[bucket] = (series.buckets[bucket] ?? 0) + 1
      }
    },

    add: (gauge) => void gauges.push(gauge),

    render() {
      const name = 'petstore_request_duration_seconds'
      const lines = [`# HELP ${name} Time from request to response.`, `# TYPE ${name} histogram`]
      for (const [operation, byStatus] of requests) {
        for (const [status, { buckets, count, sumMs }] of byStatus) {
          const labels = `operation="${operation}",status="${status}"`
          let cumulative = 0
          for (const [index, bound] of bucketsMs.entries()) {
            cumulative += buckets[index] ?? 0
            lines.push(`${name}_bucket{${labels},le="${bound / 1000}"} ${cumulative}`)
          }
          lines.push(`${name}_bucket{${labels},le="+Inf"} ${count}`)
          lines.push(`${name}_sum{${labels}} ${sumMs / 1000}`, `${name}_count{${labels}} ${count}`)
        }
      }
      for (const { name, help, kind, read } of gauges) {
        lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`, `${name} ${read()}`)
      }
      return `${lines.join('\n')}\n`
    },
  }
}
