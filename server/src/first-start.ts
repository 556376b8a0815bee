import { unconditional } from './api/operation.ts'
import type { Config } from './config.ts'
import type { Database } from './db/database.ts'
import { createKey } from './keys/create.ts'
import { administrator, presets } from './keys/plans.ts'
import { hashSecret, newSecret } from './keys/secret.ts'
import { findKeyBySecret } from './keys/store.ts'
import { loadSample } from './sample/load.ts'

/** The first key, and whether its secret was made up here. Chosen once: a start that is tried again may have stored it already. */
export const firstAdministrator = ({ adminApiKey }: Config) => ({
  secret: adminApiKey ?? newSecret(),
  isMadeUp: adminApiKey === undefined,
})

/** Makes the admin key and the sample catalogue, once in a database's life. The key's secret, when it was made up here. */
export function firstStart(
  db: Database,
  config: Config,
  { secret, isMadeUp }: ReturnType<typeof firstAdministrator>,
  now: number,
): Promise<{ newSecret: string | undefined }> {
  const shown = { newSecret: isMadeUp ? secret : undefined }
  return db.exclusively(async (tx) => {
    const [first] = await tx.query(
      "INSERT INTO settings (name, value) VALUES ('first start', $1) ON CONFLICT (name) DO NOTHING RETURNING name",
      [new Date(now).toISOString()],
    )
    // Stored by an attempt whose answer was lost: it was not shown yet.
    if (!first)
      return isMadeUp && (await findKeyBySecret(tx, hashSecret(secret), now)) ? shown : { newSecret: undefined }
    const wanted = { name: 'First administrator', ...administrator }
    const { key } = await createKey(tx, { now }, wanted, secret)
    const owner = { keyId: key.id, scopes: new Set(presets.admin) }
    if (config.sampleData) await loadSample(tx, unconditional(owner, now))
    return shown
  })
}
