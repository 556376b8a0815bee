import { type Entry, isAfter, repeatsIn, retryAfterMs, waitedMs } from './history.ts'
import type { Rule, Violation } from './rule.ts'

/** A timer may end this much early. */
const toleranceMs = 50
/** Requests that arrive within a second of a refusal may have been on their way; they are no strikes either. */
const onTheWayMs = 1_000

const seconds = (ms: number): string => `${Math.max(0, ms / 1000).toFixed(1)} s`

export const waitsForRetryAfter: Rule = {
  id: 'waits_for_retry_after',
  title: 'Waits as long as Retry-After says',
  advice:
    'After a 429, send nothing with that key for Retry-After seconds. After a 503, wait that long before the same request.',
  guide: 'limits',
  check({ entries }) {
    const refused = entries.filter((entry) => retryAfterMs(entry) !== undefined)
    const violations = [...tooEarlyRepeats(entries), ...sentWhileLimited(refused, entries)]
    // A refusal that nothing followed tells nothing.
    const followed = refused.filter((refusal) =>
      entries.some((entry) => isSameKey(entry, refusal) && isAfter(entry, refusal)),
    )
    return { seen: followed.length, violations: firstPerRequest(violations) }
  },
}

/**
 * Each refusal needs a repeat that waited, the last one first. Identical requests may also be sent side by side, so an early one
 * alone proves nothing.
 */
function tooEarlyRepeats(entries: readonly Entry[]): Violation[] {
  return repeatsIn(entries).flatMap((same) => {
    const used = new Set<Entry>()
    return same.toReversed().flatMap((refusal): Violation[] => {
      const askedMs = retryAfterMs(refusal)
      if (askedMs === undefined) return []
      const later = same.filter((entry) => isAfter(entry, refusal))
      const patient = later.find((entry) => !used.has(entry) && waitedMs(refusal, entry) >= askedMs - toleranceMs)
      const [early] = later
      if (patient) used.add(patient)
      return patient || !early ? [] : [tooEarly(refusal, early, askedMs)]
    })
  })
}

function sentWhileLimited(refused: readonly Entry[], entries: readonly Entry[]): Violation[] {
  const limited = refused.filter(({ status }) => status === 429)
  return limited.flatMap((refusal) => {
    const askedMs = retryAfterMs(refusal) ?? 0
    const early = entries.find(
      (entry) =>
        isSameKey(entry, refusal) &&
        entry.operation?.meter !== 'own' &&
        isAfter(entry, refusal) &&
        waitedMs(refusal, entry) > onTheWayMs &&
        waitedMs(refusal, entry) < askedMs - toleranceMs,
    )
    return early ? [tooEarly(refusal, early, askedMs)] : []
  })
}

const isSameKey = (a: Entry, b: Entry): boolean => a.keyId === b.keyId

const tooEarly = (refusal: Entry, early: Entry, askedMs: number): Violation => ({
  requests: [refusal.id, early.id],
  explanation: `Request ${refusal.id} got ${refusal.status} with Retry-After ${askedMs / 1000}; request ${early.id} came after ${seconds(waitedMs(refusal, early))}.`,
})

/** One violation for each request that came too early, in their order. */
const firstPerRequest = (violations: readonly Violation[]): Violation[] =>
  [...Map.groupBy(violations, ({ requests }) => requests.at(-1) ?? 0)]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([, [first]]) => first ?? [])
