import type { OpenSandbox } from './open.ts'
import type { SandboxRecord } from './record.ts'

type Shown = Pick<OpenSandbox, 'baseUrl' | 'apiKey'> & { record(): SandboxRecord }

/** A sandbox as clients see it. */
export function showSandbox({ record, baseUrl, apiKey }: Shown) {
  const { id, name, seed, data, createdAt, expiresAt } = record()
  const time = (ms: number) => new Date(ms).toISOString()
  return {
    id,
    ...(name !== undefined && { name }),
    url: baseUrl,
    apiKey,
    seed,
    data,
    createdAt: time(createdAt),
    expiresAt: time(expiresAt),
  }
}
