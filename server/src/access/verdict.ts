import type { Admitted } from '../api/operation.ts'
import { type Ban, isInForce } from '../keys/bans.ts'
import type { KnownKey } from '../keys/directory.ts'
import type { Limits } from '../lib/limits.ts'
import { counted } from '../limits/limiter.ts'
import { type Used, windowStates } from '../limits/windows.ts'
import type { Entry } from './entry.ts'
import { full } from './refusals.ts'

/** The ban that holds at this time. */
export const banAt = ({ ban }: KnownKey, now: number): Ban | undefined => (ban && isInForce(ban, now) ? ban : undefined)

/** A caller as handlers see it. What few of them ask for is made when they do. */
export class KeyHolder implements Admitted {
  readonly keyId: number
  readonly scopes: KnownKey['scopes']
  constructor(
    private readonly key: KnownKey,
    readonly used: Used,
    private readonly now: number,
  ) {
    this.keyId = key.keyId
    this.scopes = key.scopes
  }
  get plan() {
    return this.key.plan
  }
  get windows() {
    return windowStates(this.used, this.key.limits, this.now)
  }
  get ban() {
    return banAt(this.key, this.now)
  }
}

/** Why a call may not go on; `full`: a window is. */
type Refusal = Error | 'full' | undefined

interface Findings {
  readonly key?: KnownKey
  /** Which requests the windows count. */
  readonly which?: string
  readonly used: Used
  readonly limits: Limits
  readonly now: number
  readonly refusal?: Refusal
}

/** Who calls, what the answer says of the windows, and why the call may not go on. */
export const verdict = ({ key, which = counted.key, used, limits, now, refusal }: Findings): Entry => ({
  key,
  caller: key && new KeyHolder(key, used, now),
  countedFor: undefined,
  requests: refusal ? 0 : 1,
  used,
  limits,
  now,
  refusal: refusal === 'full' ? full(windowStates(used, limits, now), which, now) : refusal,
})

/** The same of a call that counts in the windows of its key. */
export const keyEntry = (key: KnownKey, used: Used, now: number, refusal?: Refusal): Entry => ({
  key,
  caller: new KeyHolder(key, used, now),
  countedFor: key.keyId,
  requests: refusal ? 0 : 1,
  used,
  limits: key.limits,
  now,
  refusal: refusal === 'full' ? full(windowStates(used, key.limits, now), counted.key, now) : refusal,
})
