import { type Entry, isAfter, isLost, repeatsIn, retryAfterMs, waitedMs } from './history.ts'
import type { Rule, Violation } from './rule.ts'

/** Fewer waits say nothing about how they grow. */
const waitsMin = 3
/** Waits that differ by less are the same. */
const sameWithinMs = 10
const sameWithinShare = 0.05

interface Series {
  readonly entries: readonly Entry[]
  readonly waits: readonly number[]
}

export const backsOffWithJitter: Rule = {
  id: 'backs_off_with_jitter',
  title: 'Backs off with jitter',
  advice:
    'Where no Retry-After says how long to wait, double the longest wait with each failure and wait a random part of it.',
  guide: 'limits',
  check({ entries }) {
    const series = repeatsIn(entries).flatMap(seriesIn)
    const steady = series.filter(({ waits }) => waits.every((wait) => isSame(wait, waits[0] ?? 0)))
    const regular = series.filter(
      (one) => !steady.includes(one) && series.some((other) => other !== one && hasSameWaits(one, other)),
    )
    return {
      seen: series.length,
      violations: [
        ...steady.map((one) => violation(one, 'always the same, so it neither backs off nor spreads out')),
        ...regular.map((one) => violation(one, 'the same as those of another request, so it has no jitter')),
      ],
    }
  },
}

/** Runs of failures of one request that said nothing about how long to wait. */
function seriesIn(same: readonly Entry[]): Series[] {
  const found: Series[] = []
  let run: Entry[] = []
  const finish = () => {
    const waits = run.slice(1).map((entry, index) => waitedMs(run[index] as Entry, entry))
    if (waits.length >= waitsMin) found.push({ entries: run, waits })
    run = []
  }
  for (const entry of same) {
    const last = run.at(-1)
    if (last && !isAfter(entry, last)) finish()
    run.push(entry)
    if (!isLost(entry) || retryAfterMs(entry) !== undefined) finish()
  }
  finish()
  return found
}

const isSame = (a: number, b: number): boolean =>
  Math.abs(a - b) <= Math.max(sameWithinMs, sameWithinShare * Math.max(a, b))

const hasSameWaits = (a: Series, b: Series): boolean =>
  a.waits.length === b.waits.length && a.waits.every((wait, index) => isSame(wait, b.waits[index] ?? 0))

const violation = ({ entries, waits }: Series, what: string): Violation => ({
  requests: entries.map(({ id }) => id),
  explanation: `The waits before its retries (${waits.map((wait) => `${Math.round(wait)} ms`).join(', ')}) are ${what}.`,
})
