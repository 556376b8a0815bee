import type { Exchange } from '../history/exchange.ts'
import { byClient, hasFailed, isAfter, waitedMs } from '../history/read.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'
import { chanceMax, inMs, noiseMs, type Series, seriesIn, spreadOf, triesOf } from './series.ts'

/** The shortest waits that count as back-off: a random part of this, doubled with each failure up to the longest bound. */
const firstBoundMs = 100
const longestBoundMs = 1_000
/** Growing waits of a call differ by more than this share of the longest. */
const alikeShareMax = 0.35
/** Two waits say nothing about how they grow. */
const waitsMin = 3
/** The chance that waits in random order look like growing ones. */
const chanceOfGrowthMax = 0.05
/** Within this time before and after the tries of a call, another caller may have sent the same. */
const aloneMs = 1_000

export const backOff: Rule = {
  id: 'back-off',
  level: 'should',
  title: 'Waits before it tries again, and longer each time',
  advice: () =>
    'Where no Retry-After says how long to wait, double the longest wait with each failure and wait a random part of it.',
  needs: [],
  check: ({ exchanges }, profile) =>
    byClient(exchanges).flatMap((own) => judgeSeries(seriesIn(own, profile), profile.backOff?.firstMs ?? firstBoundMs)),
}

function judgeSeries(all: readonly Series[], firstMs: number): Occasion[] {
  const answered = all.filter(({ waits }) => waits.length > 1).filter(isAnswered)
  if (chanceOfShort(answered, firstMs) < chanceMax) return [explain(answered, 'hardly waited at all')]
  const long = all.filter(({ waits }) => waits.length >= waitsMin)
  if (long.length === 0) return []
  if (chanceOfAlike(long) < chanceMax) return [explain(long, 'waited no longer each time')]
  return chanceOfGrowth(long) <= chanceOfGrowthMax ? long.map(({ tries }) => kept(tries[0])) : []
}

/**
 * Whether the client stopped when it got a response. Requests that several callers sent at once may look like tries that hardly waited,
 * but not all of them end with the first response.
 */
function isAnswered({ tries, same }: Series): boolean {
  const last = tries.at(-1) as Exchange
  if (hasFailed(last)) return false
  const before = same[same.indexOf(tries[0]) - 1]
  const next = same[same.indexOf(last) + 1]
  const isFar = (one: Exchange, other: Exchange) => isAfter(other, one) && waitedMs(one, other) > aloneMs
  return (!before || isFar(before, tries[0])) && (!next || isFar(last, next))
}

/**
 * The chance that a client with full jitter waits no longer than this. The probability that n random parts of the bounds b add up to at
 * most t is tⁿ / (n! Π b), the share of a simplex in the box of all draws.
 */
function chanceOfShort(all: readonly Series[], firstMs: number): number {
  const bounds = all.flatMap(({ waits }) => waits.map((_, index) => Math.min(longestBoundMs, firstMs * 2 ** index)))
  const total = all.flatMap(({ waits }) => waits).reduce((sum, wait) => sum + Math.max(1, wait), 0)
  return Math.exp(bounds.reduce((sum, bound, index) => sum + Math.log(total / (index + 1) / bound), 0))
}

/**
 * The chance that random waits are as alike as these. The probability that n waits between zero and a common bound differ by at most the
 * share s of the longest is sⁿ⁻¹; growing bounds make it smaller.
 */
function chanceOfAlike(all: readonly Series[]): number {
  const spread = Math.max(...all.map(({ waits }) => spreadOf(waits)))
  return spread > alikeShareMax ? 1 : spread ** all.reduce((sum, { waits }) => sum + waits.length - 1, 0)
}

/** The chance that waits in random order have this many pairs whose second is longer, by more than a busy machine makes it. */
function chanceOfGrowth(all: readonly Series[]): number {
  const grown = all.reduce((sum, { waits }) => sum + countGrown(waits), 0)
  const shares = all.map(({ waits }) => sharesOfOrders(waits.length)).reduce(convolve)
  return shares.slice(grown).reduce((sum, share) => sum + share, 0)
}

const countGrown = (waits: readonly number[]): number =>
  waits.reduce((sum, wait, index) => sum + waits.slice(0, index).filter((before) => wait >= before + noiseMs).length, 0)

/** For each number of pairs, the share of orders of n numbers with that many ascending pairs: the nth number adds 0 to n − 1. */
const sharesOfOrders = (length: number): number[] =>
  Array.from({ length }, (_, index) => Array<number>(index + 1).fill(1 / (index + 1))).reduce(convolve)

/** The shares of the sums of two independent counts. */
function convolve(one: readonly number[], other: readonly number[]): number[] {
  const sums = Array<number>(one.length + other.length - 1).fill(0)
  for (const [a, share] of one.entries())
    for (const [b, factor] of other.entries()) sums[a + b] = (sums[a + b] ?? 0) + share * factor
  return sums
}

const shownMax = 3

function explain(all: readonly Series[], what: string): Occasion {
  const shown = all.slice(0, shownMax).map(({ waits }) => inMs(waits))
  const more = all.length > shownMax ? ` and ${all.length - shownMax} more` : ''
  const calls = all.length === 1 ? 'one call' : `${all.length} calls`
  return broken(triesOf(all), `The client ${what} before the retries of ${calls}: ${shown.join('; ')}${more}.`)
}
