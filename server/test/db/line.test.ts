import { expect, test } from 'bun:test'
import { createLine, type Line, waitMsMax } from '../../src/db/line.ts'

/** A line whose time stands still until the test moves it. */
function lineWithClock() {
  let now = 1_000_000
  const late: number[] = []
  const line = createLine<number>(
    { assumedMs: 1, patienceMs: waitMsMax },
    (one) => late.push(one),
    () => now,
  )
  return {
    line,
    late,
    pass: (ms: number) => {
      now += ms
    },
  }
}

/** Lets numbers in until one is refused; says how many there was room for. */
function fill(line: { join(one: number): boolean }, from = 0): number {
  let one = from
  while (line.join(one)) one++
  return one - from
}

/** One comes for each that is taken, and one always waits. */
function serve(count: number, eachMs: number, line: Line<number>, pass: (ms: number) => void): void {
  line.join(-1)
  for (let one = 0; one < count; one++) {
    line.join(-2 - one)
    pass(eachMs)
    line.take()
  }
}

test('the first to come is the first to be taken', () => {
  const { line } = lineWithClock()
  for (const one of [1, 2, 3]) expect(line.join(one)).toBe(true)
  expect([line.take(), line.take(), line.take(), line.take()]).toEqual([1, 2, 3, undefined])
})

test('before anything is measured there is room for two thousand', () => {
  const { line } = lineWithClock()
  expect(fill(line)).toBe(2_000)
  expect(line.hasRoom()).toBe(false)
})

test('there is room for as many as are taken within two seconds', () => {
  for (const eachMs of [0.5, 4, 20, 100]) {
    const { line, pass, late } = lineWithClock()
    serve(2_000, eachMs, line, pass)
    const room = fill(line)
    expect(room * eachMs).toBeGreaterThan(waitMsMax * 0.9)
    expect(room * eachMs).toBeLessThan(waitMsMax * 1.1)
    expect(late).toEqual([])
  }
})

test('whoever was let in and is reached too late is sent away, never taken', () => {
  const { line, pass, late } = lineWithClock()
  line.join(1)
  pass(waitMsMax / 2)
  line.join(2)
  pass(waitMsMax / 2)
  expect(line.take()).toBe(2)
  expect(late).toEqual([1])
})

test('one stop, however long, leaves room for some hundreds, and a pace that lasts does not', () => {
  const { line, pass } = lineWithClock()
  serve(400, 1, line, pass)
  line.join(1)
  pass(1_500)
  line.take()
  serve(100, 1, line, pass)
  expect(fill(line)).toBeGreaterThan(400)
  line.dissolve()
  serve(20, 100, line, pass)
  expect(fill(line)).toBeLessThan(30)
})

test('one that only waited for its turn does not count as slow work', () => {
  const { line, pass } = lineWithClock()
  for (let one = 0; one < 400; one++) {
    line.join(one)
    pass(100)
    line.take()
  }
  expect(fill(line)).toBe(2_000)
})

test('what was measured is forgotten when nobody had to wait for a while', () => {
  const { line, pass } = lineWithClock()
  serve(400, 100, line, pass)
  expect(fill(line)).toBeLessThan(30)
  while (line.take() !== undefined);
  pass(60_000)
  expect(fill(line)).toBe(2_000)
})

test('nobody waits for ever when nothing is taken', async () => {
  const left = Promise.withResolvers<number>()
  const line = createLine<number>({ assumedMs: 1, patienceMs: 100 }, left.resolve)
  line.join(7)
  expect(await left.promise).toBe(7)
  expect(line.length).toBe(0)
})
