import { createHash } from 'node:crypto'

/** How often each call was sent, by the hash of the call. */
export type AttemptCounts = Readonly<Record<string, number>>

/** The oldest calls are forgotten. */
const callsMax = 1_000

/** Counts how often each call is sent. */
export interface Attempts {
  /** 1 for the first attempt of a call. */
  count(identity: string): number
  counts(): AttemptCounts
}

export function createAttempts(before: AttemptCounts = {}): Attempts {
  const counts = new Map(Object.entries(before))
  return {
    count(identity) {
      const hash = createHash('sha256').update(identity).digest('base64url').slice(0, 16)
      const count = (counts.get(hash) ?? 0) + 1
      // Removed first, so that it is the newest.
      counts.delete(hash)
      counts.set(hash, count)
      for (const oldest of counts.keys()) {
        if (counts.size <= callsMax) break
        counts.delete(oldest)
      }
      return count
    },
    counts: () => Object.fromEntries(counts),
  }
}
