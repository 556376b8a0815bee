import type { KnownKey } from '../keys/directory.ts'
import { type Used, windowStates } from '../limits/windows.ts'
import type { Admission, Windows } from './admission.ts'
import { counted } from './counted.ts'
import { limitReached } from './refusals.ts'

/** Why a call may not continue; `full`: one of its windows has no room. */
type Refusal = Error | 'full' | undefined

const toError = (refusal: Refusal, { used, limits, now }: Windows, which: string): Error | undefined =>
  refusal === 'full' ? limitReached(windowStates(used, limits, now), which, now) : refusal

interface Findings extends Windows {
  readonly key?: KnownKey
  /** Which requests the windows count, for the error message. */
  readonly which?: string
  readonly refusal?: Refusal
}

/** The admission of a call that does not count in the windows of a key. */
export function makeAdmission(findings: Findings): Admission {
  const { key, which = counted.key, used, limits, now, refusal } = findings
  const requests = refusal ? 0 : 1
  return { key, countedFor: undefined, requests, used, limits, now, refusal: toError(refusal, findings, which) }
}

/** The admission of a call that counts in the windows of its key. */
export function makeKeyAdmission(key: KnownKey, used: Used, now: number, refusal?: Refusal): Admission {
  const { keyId, limits } = key
  return {
    key,
    countedFor: keyId,
    requests: refusal ? 0 : 1,
    used,
    limits,
    now,
    refusal: refusal && toError(refusal, { used, limits, now }, counted.key),
  }
}
