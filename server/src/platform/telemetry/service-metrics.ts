import type { Clock } from '../lib/clock.ts'
import { errorFields, type Log } from './log.ts'
import type { Metrics, Reading } from './metrics.ts'

interface Build {
  readonly version: string
  readonly engine: string
  readonly schema: number
}

/** Registers which version this node runs, so that nodes can be compared during a rollout. */
export function addBuildInfo(metrics: Metrics, { version, engine, schema }: Build): void {
  metrics.add({
    name: 'petstore_build_info',
    help: 'Always 1; the labels say which version runs on which engine.',
    kind: 'gauge',
    labels: ['version', 'engine'],
    read: () => [[1, version, engine]],
  })
  metrics.add({
    name: 'petstore_schema_version',
    help: 'Migrations that the database had run when this node started.',
    kind: 'gauge',
    read: () => schema,
  })
}

/** Returns a function that counts a ban. */
export function countBans(metrics: Metrics): () => void {
  let bans = 0
  metrics.add({
    name: 'petstore_key_bans_total',
    help: 'Keys that this node banned because they continued to call over their limits.',
    kind: 'counter',
    read: () => bans,
  })
  return () => void bans++
}

interface Dependencies {
  readonly metrics: Metrics
  readonly log: Log
  readonly clock: Clock
}

/** Counts the runs of background jobs. */
export function createJobRuns(jobNames: readonly string[], { metrics, log, clock }: Dependencies) {
  const runs = new Map(jobNames.map((job) => [job, { failures: 0, doneAt: clock.now() }]))
  metrics.add({
    name: 'petstore_job_failures_total',
    help: 'Failed runs of background jobs.',
    kind: 'counter',
    labels: ['job_name'],
    read: () => [...runs].map(([job, { failures }]): Reading => [failures, job]),
  })
  metrics.add({
    name: 'petstore_job_last_success_timestamp_seconds',
    help: 'When a background job last succeeded; before its first run, when the node started.',
    kind: 'gauge',
    labels: ['job_name'],
    read: () => [...runs].map(([job, { doneAt }]): Reading => [doneAt / 1000, job]),
  })
  return {
    async run(job: string, work: () => Promise<void>): Promise<void> {
      const startedAt = performance.now()
      await work()
      Object.assign(runs.get(job) ?? {}, { doneAt: clock.now() })
      log.write('debug', 'background job done', { job, ms: Math.round(performance.now() - startedAt) })
    },
    fail(job: string, error: unknown): void {
      const counts = runs.get(job)
      if (counts) counts.failures++
      log.write('warn', 'background job failed and will be retried', { job, ...errorFields(error) })
    },
  }
}
