import { expect, test } from 'bun:test'
import { highestIn, isLabelled, linesUpTo, plotsOf, type Series, withoutEmpty } from '../src/parts/chart-scale.ts'
import { usageSeries } from '../src/usage-series.ts'

const blue = (series: readonly Omit<Series, 'color'>[]) => series.map((one) => ({ ...one, color: 'blue' as const }))
const names = (plots: readonly (readonly Series[])[]) => plots.map((plot) => plot.map(({ name }) => name))

test('parts are stacked in one plot, anything else has its own, and what is zero has none; all have one scale', () => {
  const orders = blue([
    { name: 'new', values: [16, 0, 0] },
    { name: 'completed', values: [7, 23, 0], isApart: true },
    { name: 'cancelled', values: [0, 0, 0], isApart: true },
  ])
  expect(names(plotsOf(withoutEmpty(orders)))).toEqual([['new'], ['completed']])
  expect(highestIn(plotsOf(orders))).toBe(23)
  const attempts = blue([
    { name: 'succeeded', values: [0, 0] },
    { name: 'failed', values: [0, 0] },
  ])
  expect(names(plotsOf(withoutEmpty(attempts)))).toEqual([['succeeded']])
})

test('a request is counted once in the height of a bar, whatever became of it', () => {
  const plots = plotsOf(usageSeries([{ allowed: 10, limited: 4, errors: 3, strikes: 2 }]))
  expect(names(plots)).toEqual([['allowed', 'limited'], ['errors'], ['strikes']])
  expect(highestIn(plots)).toBe(14)
})

test('lines are at round numbers, at most four above zero, and the highest bar is below the last', () => {
  expect(linesUpTo(0)).toEqual([0, 1, 2, 3, 4])
  expect(linesUpTo(16)).toEqual([0, 5, 10, 15, 20])
  expect(linesUpTo(282)).toEqual([0, 100, 200, 300])
  for (const highest of [5, 99, 1_000, 1_001, 9_999_999]) {
    const lines = linesUpTo(highest)
    expect(lines.length).toBeLessThanOrEqual(5)
    expect(lines.at(-1)).toBeGreaterThanOrEqual(highest)
    expect((lines.at(-2) ?? 0) < highest).toBeTrue()
  }
})

test('as many bars have a label as there is room for, the last one always', () => {
  const labelled = (count: number, roomFor: number) =>
    Array.from({ length: count }, (_, index) => index).filter((index) => isLabelled(index, count, roomFor))
  expect(labelled(7, 12)).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(labelled(7, 5)).toEqual([0, 2, 4, 6])
  expect(labelled(24, 4)).toEqual([5, 11, 17, 23])
  expect(labelled(30, 0.5)).toEqual([29])
})
