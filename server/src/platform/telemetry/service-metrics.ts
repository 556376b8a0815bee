import type { Metrics } from './metrics.ts'

interface Build {
  readonly version: string
  readonly engine: string
  readonly schema: number
}

/** Registers what this node runs: compare nodes during a rollout. */
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
