import type { Admitted } from '../api/operation.ts'
import type { UsageRow } from '../db/tables.ts'
import { showBan } from '../keys/show.ts'

/** What a caller may do, and what is left to it. */
export const showLimits = ({ keyId, plan, scopes, windows, ban }: Admitted) => ({
  keyId,
  plan,
  scopes: [...scopes],
  windows: windows.map(({ name, limit, remaining, resetAt }) => ({ name, limit, remaining, reset: resetAt / 1000 })),
  ...showBan(ban),
})

/** The counts of an hour or a day. */
export const showUsage = ({ starts_at, allowed, limited, errors }: UsageRow) => ({
  from: new Date(starts_at).toISOString(),
  allowed,
  limited,
  errors,
})
