import type { Admitted } from '../api/operation.ts'
import { type Ban, isInForce } from '../keys/bans.ts'
import type { KnownKey } from '../keys/directory.ts'
import { counted } from '../limits/limiter.ts'
import { type Used, windowStates } from '../limits/windows.ts'
import type { Entry, Windows } from './entry.ts'
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

/** The same in words: what the client is told. */
const told = (refusal: Refusal, { used, limits, now }: Windows, which: string): Error | undefined =>
  refusal === 'full' ? full(windowStates(used, limits, now), which, now) : refusal

interface Findings extends Windows {
  readonly key?: KnownKey
  /** Which requests the windows count. */
  readonly which?: string
  readonly refusal?: Refusal
}

/** Who calls, what the answer says of the windows, and why the call may not go on. */
export function verdict(findings: Findings): Entry {
  const { key, which = counted.key, used, limits, now, refusal } = findings
  const caller = key && new KeyHolder(key, used, now)
  const requests = refusal ? 0 : 1
  return { key, caller, countedFor: undefined, requests, used, limits, now, refusal: told(refusal, findings, which) }
}

/** The same of a call that counts in the windows of its key. */
export function keyEntry(key: KnownKey, used: Used, now: number, refusal?: Refusal): Entry {
  const { keyId, limits } = key
  return {
    key,
    caller: new KeyHolder(key, used, now),
    countedFor: keyId,
    requests: refusal ? 0 : 1,
    used,
    limits,
    now,
    refusal: refusal && told(refusal, { used, limits, now }, counted.key),
  }
}
