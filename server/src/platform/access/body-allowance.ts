import type { KnownKey } from '../keys/directory.ts'
import { messageLimits } from '../keys/subjects.ts'
import { BoundedMap } from '../lib/bounded-map.ts'
import { minuteMs, windowStart } from '../limits/windows.ts'
import type { Admission } from './admission.ts'
import { counted } from './counted.ts'
import { makeAdmission } from './make-admission.ts'

const keysMax = 10_000

/**
 * Returns a function that refuses to read more messages of a key in a minute than its limits could admit: its requests and its protocol
 * messages together. So what this node reads is bounded, whatever the messages turn out to be. Counted on this node alone.
 */
export function createBodyAllowance(): (key: KnownKey, now: number) => Admission | undefined {
  const counts = new BoundedMap<number, { minute: number; read: number }>(keysMax)
  return (key, now) => {
    const { perMinute, perDay } = messageLimits(key.limits)
    const limits = { perMinute: perMinute + key.limits.perMinute, perDay: perDay + key.limits.perDay }
    const minute = windowStart(now, minuteMs)
    let count = counts.get(key.keyId)
    if (count?.minute !== minute) {
      count = { minute, read: 0 }
      counts.set(key.keyId, count)
    }
    if (count.read < limits.perMinute) {
      count.read++
      return undefined
    }
    const used = { minute: count.read, day: count.read }
    return makeAdmission({ which: counted.bodies, key, used, limits, now, refusal: 'full' })
  }
}
