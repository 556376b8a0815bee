import type { Clock } from '../lib/clock.ts'
import { minuteMs } from '../lib/time.ts'
import type { Metrics, Reading } from './metrics.ts'

const keysShown = 10
/** More keys than this in a minute share one count, so that memory is bounded. */
const keysMax = 10_000
const otherKeys = 0

/** Counts the requests of each key in the last minute that is over, and shows the busiest. */
export function createBusiestKeys(metrics: Metrics, clock: Clock) {
  let minute = 0
  let current = new Map<number, number>()
  let last = new Map<number, number>()

  function turn(now: number): void {
    const currentMinute = Math.floor(now / minuteMs)
    if (currentMinute === minute) return
    last = currentMinute === minute + 1 ? current : new Map()
    current = new Map()
    minute = currentMinute
  }

  metrics.add({
    name: 'petstore_busiest_key_requests',
    help: 'Requests of the ten busiest keys on this node in the last whole minute.',
    kind: 'gauge',
    labels: ['key_id'],
    read() {
      turn(clock.now())
      const byRequests = [...last].filter(([keyId]) => keyId !== otherKeys).sort(([, one], [, other]) => other - one)
      return byRequests.slice(0, keysShown).map(([keyId, requests]): Reading => [requests, String(keyId)])
    },
  })

  return (keyId: number, now: number): void => {
    turn(now)
    const counted = current.size < keysMax || current.has(keyId) ? keyId : otherKeys
    current.set(counted, (current.get(counted) ?? 0) + 1)
  }
}
