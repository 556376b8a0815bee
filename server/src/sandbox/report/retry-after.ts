import { type Entry, isAfter, repeatsIn, retryAfterMs, waitedMs } from './history.ts'
import type { Rule, Violation } from './rule.ts'

/** A timer may end this much early. */
const toleranceMs = 50
/** Requests that arrive within a second of a rejection may have been on their way; they are no strikes either. */
const onTheWayMs = 1_000

const seconds = (ms: number): string => `${Math.max(0, ms / 1000).toFixed(1)} s`

export const waitsForRetryAfter: Rule = {
  id: 'waits_for_retry_after',
  title: 'Waits as long as Retry-After says',
  advice:
    'After a 429, send nothing with that key for Retry-After seconds. After a 503, wait that long before the same request.',
  guide: 'limits',
  check({ entries }) {
    const rejected = entries.filter((entry) => retryAfterMs(entry) !== undefined)
    const violations = [...tooEarlyRepeats(entries), ...sentWhileLimited(rejected, entries)]
    // A rejection that nothing followed tells nothing.
    const followed = rejected.filter((rejection) =>
      entries.some((entry) => isSameKey(entry, rejection) && isAfter(entry, rejection)),
    )
    return { seen: followed.length, violations: firstPerRequest(violations) }
  },
}

/**
 * Each rejection needs a repeat that waited, the last one first. Identical requests may also be sent side by side, so an early one
 * alone proves nothing.
 */
function tooEarlyRepeats(entries: readonly Entry[]): Violation[] {
  return repeatsIn(entries).flatMap((same) => {
    const used = new Set<Entry>()
    return same.toReversed().flatMap((rejection): Violation[] => {
      const askedMs = retryAfterMs(rejection)
      if (askedMs === undefined) return []
      const later = same.filter((entry) => isAfter(entry, rejection))
      const patient = later.find((entry) => !used.has(entry) && waitedMs(rejection, entry) >= askedMs - toleranceMs)
      const [early] = later
      if (patient) used.add(patient)
      return patient || !early ? [] : [tooEarly(rejection, early, askedMs)]
    })
  })
}

function sentWhileLimited(rejected: readonly Entry[], entries: readonly Entry[]): Violation[] {
  const limited = rejected.filter(({ status }) => status === 429)
  return limited.flatMap((rejection) => {
    const askedMs = retryAfterMs(rejection) ?? 0
    const early = entries.find(
      (entry) =>
        isSameKey(entry, rejection) &&
        entry.operation?.meter !== 'own' &&
        isAfter(entry, rejection) &&
        waitedMs(rejection, entry) > onTheWayMs &&
        waitedMs(rejection, entry) < askedMs - toleranceMs,
    )
    return early ? [tooEarly(rejection, early, askedMs)] : []
  })
}

const isSameKey = (a: Entry, b: Entry): boolean => a.keyId === b.keyId

const tooEarly = (rejection: Entry, early: Entry, askedMs: number): Violation => ({
  requests: [rejection.id, early.id],
  explanation: `Request ${rejection.id} got ${rejection.status} with Retry-After ${askedMs / 1000}; request ${early.id} came after ${seconds(waitedMs(rejection, early))}.`,
})

/** One violation for each request that came too early, in their order. */
const firstPerRequest = (violations: readonly Violation[]): Violation[] =>
  [...Map.groupBy(violations, ({ requests }) => requests.at(-1) ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, [first]]) => first ?? [])
