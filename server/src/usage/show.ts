import type { Admitted } from '../api/operation.ts'
import type { UsageRow } from '../db/tables.ts'
import { showBan } from '../keys/show.ts'

/** What is left to a caller. */
export const showLimits = ({ plan, windows, ban }: Admitted) => ({
  plan,
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
