import type { Config } from './config.ts'
import { unconditional } from './platform/api/operation.ts'
import type { Shop } from './platform/compose/shop.ts'
import type { Database } from './platform/db/database.ts'
import { createKey } from './platform/keys/create.ts'
import { administrator, adminPreset } from './platform/keys/plans.ts'
import { hashSecret, newSecret } from './platform/keys/secret.ts'
import { findKeyBySecret } from './platform/keys/store.ts'

/** The secret of the first key, and whether it was generated. Chosen once, since a failed start may have stored it before the retry. */
export const firstAdministrator = ({ adminApiKey }: Config) => ({
  secret: adminApiKey ?? newSecret(),
  isGenerated: adminApiKey === undefined,
})

/** Creates the admin key and the sample data, once per database. Returns whether it did, and the secret if it was generated. */
export function firstStart(
  { presets, loadSample, sampleAgeMs = 0 }: Shop,
  db: Database,
  config: Config,
  { secret, isGenerated }: ReturnType<typeof firstAdministrator>,
  now: number,
): Promise<{ newSecret: string | undefined; isNewShop: boolean }> {
  const created = { newSecret: isGenerated ? secret : undefined, isNewShop: true }
  return db.exclusively(async (tx) => {
    const [first] = await tx.query(
      "INSERT INTO settings (name, value) VALUES ('first start', $1) ON CONFLICT (name) DO NOTHING RETURNING name",
      [new Date(now).toISOString()],
    )
    // If an earlier try stored the key but lost the connection, its secret has not been shown yet.
    if (!first) {
      const wasLost = isGenerated && (await findKeyBySecret(tx, hashSecret(secret), now))
      return wasLost ? created : { newSecret: undefined, isNewShop: false }
    }
    const scopes = presets[adminPreset] ?? []
    const wanted = { name: 'First administrator', ...administrator, scopes }
    // The log is in chronological order, so the key must be as old as the sample data.
    const openedAt = config.sampleData ? now - sampleAgeMs : now
    const { key } = await createKey(tx, { now: openedAt }, wanted, secret)
    const owner = { keyId: key.id, scopes: new Set(scopes) }
    if (config.sampleData) await loadSample?.(tx, unconditional(owner, now), sampleAgeMs)
    return created
  })
}
