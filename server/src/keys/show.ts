import type { Scope } from '../api/scopes.ts'
import type { KeyWithBan } from './store.ts'

const time = (ms: number): string => new Date(ms).toISOString()

/** A key as clients see it. */
export const showKey = (key: KeyWithBan) => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  plan: key.plan,
  limits: { perMinute: key.per_minute, perDay: key.per_day },
  scopes: key.scopes.split(' ') as Scope[],
  createdAt: time(key.created_at),
  ...(key.expires_at !== null && { expiresAt: time(key.expires_at) }),
  ...(key.last_used_at !== null && { lastUsedAt: time(key.last_used_at) }),
  ...showBan(key),
})

export const showBan = ({ ban_until, ban_level }: Pick<KeyWithBan, 'ban_until' | 'ban_level'>) =>
  ban_until !== null && ban_level !== null ? { ban: { until: time(ban_until), level: ban_level } } : {}
