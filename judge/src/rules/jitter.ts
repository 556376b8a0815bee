import { byClient } from '../history/read.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'
import { chanceMax, inMs, noiseMs, type Series, seriesIn, spreadOf, triesOf } from './series.ts'

/** Waits that are longer than the shortest by less than this share, or by less than a timer may be late, count as the same. */
const sameShare = 0.02
const sameMs = 10
/** This share of the waits must be the same. */
const sameShareMin = 2 / 3
/** This many of one place, and at least half of them, are hardly the same by chance. */
const fixedMin = 3
/** The least spread that counts as jitter, as a share of the longest wait. */
const jitterShare = 0.1
/** Two schedules without jitter make two groups of waits. */
const groupsMin = 3

export const jitter: Rule = {
  id: 'jitter',
  level: 'should',
  title: 'Waits differently each time',
  advice: () =>
    'Wait a random part of the back-off: clients that failed together and wait equally long fail together again.',
  // Where little is known of an API, the rules with little doubt are enough.
  needs: ['errors'],
  check: ({ exchanges }, profile) => byClient(exchanges).flatMap((own) => judgeSeries(seriesIn(own, profile))),
}

/** Compares the first waits of all series with each other, the second ones, and so on, where they are long enough to have jitter. */
function judgeSeries(all: readonly Series[]): Occasion[] {
  const length = Math.max(0, ...all.map(({ waits }) => waits.length))
  const ranks = Array.from({ length }, (_, rank) =>
    all.flatMap(({ waits }) => waits.slice(rank, rank + 1)).toSorted((a, b) => a - b),
  ).filter((waits) => waits.length > 1 && (waits.at(-1) ?? 0) * jitterShare > sameMs)
  const same = ranks.map(sameIn)
  // Delays, such as at a program's first retry, may spread the waits of one place only.
  const isFixed = same.some(({ length }, rank) => length >= Math.max(fixedMin, (ranks[rank]?.length ?? 0) / 2))
  if (ranks.some(isSpread) && !isFixed) return all.map(({ tries }) => kept(tries[0]))
  if (ranks.some((waits, rank) => (same[rank]?.length ?? 0) < waits.length * sameShareMin)) return []
  if (chanceOfSame(ranks, same) >= chanceMax) return []
  const waits = same.map((each) => inMs([Math.min(...each), Math.max(...each)]).replace(', ', ' to '))
  const others = ranks.flat().length - same.flat().length
  const except = others > 0 ? `, except ${others} of ${ranks.flat().length} that were longer` : ''
  return [
    broken(
      triesOf(all),
      `The waits before the retries of ${all.length} calls are the same each time: ${waits.join(', then ')}${except}.`,
    ),
  ]
}

/** Whether waits, shortest first, form groups that noise does not explain, none with most of them: a stall proves nothing. */
function isSpread(waits: readonly number[]): boolean {
  const sizes: number[] = []
  let start = Number.NEGATIVE_INFINITY
  for (const wait of waits) {
    if (wait - start >= Math.max(noiseMs, jitterShare * wait)) {
      start = wait
      sizes.push(0)
    }
    sizes.push((sizes.pop() ?? 0) + 1)
  }
  return sizes.length >= groupsMin && Math.max(...sizes) <= waits.length / 2
}

/** The waits that are as long as the shortest. A busy machine makes some of them longer. */
function sameIn(waits: readonly number[]): readonly number[] {
  const [shortest = 0] = waits
  return waits.filter((wait) => wait - shortest <= Math.max(sameMs, sameShare * shortest))
}

/**
 * The chance that waits with little jitter are all as close to the shortest of their place as these. That k of n numbers between 0 and 1
 * are within x above the smallest is as likely as that at least k of n are below x; times n, because the waits decide which k is looked
 * at.
 */
function chanceOfSame(ranks: readonly (readonly number[])[], same: readonly (readonly number[])[]): number {
  const x = Math.max(...same.map((waits) => Math.min(1, spreadOf(waits) / jitterShare)))
  return ranks.reduce((chance, { length: n }, rank) => {
    const k = (same[rank]?.length ?? 1) - 1
    return chance * Math.min(1, n * chanceOfAtLeast(k, n, x))
  }, 1)
}

/** The chance that at least k of n independent events happen, each with probability x. */
function chanceOfAtLeast(k: number, n: number, x: number): number {
  let chance = 0
  let ways = 1
  for (let count = 0; count <= n; count++) {
    if (count >= k) chance += ways * x ** count * (1 - x) ** (n - count)
    ways = (ways * (n - count)) / (count + 1)
  }
  return chance
}
