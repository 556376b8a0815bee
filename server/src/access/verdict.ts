import type { KnownKey } from '../keys/directory.ts'
import { type Used, windowStates } from '../limits/windows.ts'
import { counted } from './counted.ts'
import type { Entry, Windows } from './entry.ts'
import { full } from './refusals.ts'

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
  const requests = refusal ? 0 : 1
  return { key, countedFor: undefined, requests, used, limits, now, refusal: told(refusal, findings, which) }
}

/** The same of a call that counts in the windows of its key. */
export function keyEntry(key: KnownKey, used: Used, now: number, refusal?: Refusal): Entry {
  const { keyId, limits } = key
  return {
    key,
    countedFor: keyId,
    requests: refusal ? 0 : 1,
    used,
    limits,
    now,
    refusal: refusal && told(refusal, { used, limits, now }, counted.key),
  }
}
