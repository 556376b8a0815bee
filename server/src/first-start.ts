import { unconditional } from './api/operation.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { createKey } from './keys/create.ts'
import { administrator, presets } from './keys/plans.ts'
import { loadSample } from './sample/load.ts'

/** Makes the admin key and the sample catalogue, once in a database's life. The key's secret, when it was made up here. */
export function firstStart(db: Database, config: Config, now: number): Promise<{ newSecret: string | undefined }> {
  return db.exclusively(async (tx) => {
    const [first] = await tx.query(
      "INSERT INTO settings (name, value) VALUES ('first start', $1) ON CONFLICT (name) DO NOTHING RETURNING name",
      [new Date(now).toISOString()],
    )
    if (!first) return { newSecret: undefined }
    const wanted = { name: 'First administrator', ...administrator }
    const { key, secret } = await createKey(tx, { now }, wanted, config.adminApiKey)
    const owner = { keyId: key.id, scopes: new Set(presets.admin) }
    if (config.sampleData) await loadSample(tx, unconditional(owner, now))
    return { newSecret: config.adminApiKey === undefined ? secret : undefined }
  })
}
