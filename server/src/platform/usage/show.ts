import type { AdmittedCaller } from '../api/operation.ts'
import { banAt } from '../keys/directory.ts'
import type { Plan } from '../keys/plans.ts'
import { showBan } from '../keys/show.ts'
import { type Used, type WindowState, windowStates } from '../limits/limiter.ts'
import type { UsageRow } from './store.ts'

/** The caller's scopes and the state of its limits. */
export const showLimits = (caller: AdmittedCaller, used: Used, now: number) => ({
  keyId: caller.keyId,
  plan: caller.plan as Plan,
  scopes: [...caller.scopes],
  windows: windowStates(used, caller.limits, now).map(showWindow),
  ...showBan(banAt(caller, now)),
})

const showWindow = ({ name, limit, remaining, resetAt }: WindowState) => ({
  name,
  limit,
  remaining,
  reset: resetAt / 1000,
})

/** The counts of an hour or a day. */
export const showUsage = ({ starts_at, allowed, limited, errors, strikes }: UsageRow) => ({
  from: new Date(starts_at).toISOString(),
  allowed,
  limited,
  errors,
  strikes,
})
