import { banOf } from './directory.ts'
import type { Ban, KeyRow } from './store.ts'

const time = (ms: number): string => new Date(ms).toISOString()

/** A key with its new secret, which is stored nowhere in plain text. */
export interface KeyWithSecret {
  readonly key: KeyRow
  readonly secret: string
}

/** A key as clients see it. */
export const showKey = (key: KeyRow) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  plan: key.plan,
  limits: { perMinute: key.per_minute, perDay: key.per_day },
  scopes: key.scopes.split(' '),
  createdAt: time(key.created_at),
  ...(key.expires_at !== null && { expiresAt: time(key.expires_at) }),
  ...(key.last_used_at !== null && { lastUsedAt: time(key.last_used_at) }),
  ...(key.revoked_at !== null && { revokedAt: time(key.revoked_at) }),
  ...showBan(banOf(key)),
})

export const showKeyWithSecret = ({ key, secret }: KeyWithSecret) => ({ ...showKey(key), secret })

export const showBan = (ban: Ban | undefined) => (ban ? { ban: { until: time(ban.until), level: ban.level } } : {})
