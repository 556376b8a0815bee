import { expect, test } from 'bun:test'
import type { Exchange, History } from '../src/history/exchange.ts'
import { backOff } from '../src/rules/back-off.ts'
import { jitter } from '../src/rules/jitter.ts'
import type { Rule } from '../src/rules/rule.ts'
import { historyOf, startMs } from './steps.ts'

// Ten thousand clients of each kind, with waits as a machine measures them.

const clientsCount = 10_000
/** Enough where no rare event counts. */
const someCount = 1_000

/** How late a timer ends. On a busy machine 20 ms on average, one in 150 more than 100 ms. */
const lateness = {
  idle: (random: () => number) => random() * 3,
  busy: (random: () => number) => -20 * Math.log(1 - random()),
}
type Machine = keyof typeof lateness

/** Mulberry32: the same draws on every machine. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Policy {
  readonly random: () => number
  readonly firstMs: number
}
/** The wait after this many failures; `before` is the wait before this one. */
type Wait = (policy: Policy, failures: number, before: number) => number

const capMs = 20_000
const bound = ({ firstMs }: Policy, failures: number) => Math.min(capMs, firstMs * 2 ** (failures - 1))

const waits = {
  full: (policy, failures) => policy.random() * bound(policy, failures),
  equal: (policy, failures) => ((1 + policy.random()) / 2) * bound(policy, failures),
  decorrelated: ({ random, firstMs }, _, before) =>
    Math.min(capMs, firstMs + random() * (3 * Math.max(before, firstMs) - firstMs)),
  'a tenth': (policy, failures) => (0.9 + 0.1 * policy.random()) * bound(policy, failures),
  exponential: bound,
  fixed: ({ firstMs }) => firstMs,
  // Random, but never longer.
  uniform: ({ random, firstMs }) => (0.5 + random()) * firstMs,
  none: () => 1,
} satisfies Record<string, Wait>
type Kind = keyof typeof waits

/** A request that arrived at a time, and was cut or got a response. */
const tryOf = (target: string, arrivedMs: number, status: number | null, durationMs = 0): Exchange => ({
  ...{ id: 0, client: 1, method: 'GET', target, headers: {}, received: status === null ? 'cut' : 'complete', status },
  ...{ responseHeaders: {}, arrivedMs: Math.floor(arrivedMs), apiArrivedMs: Math.floor(arrivedMs), durationMs },
})

/** The tries of some calls, the last of which gets a response. */
function callsOf(kind: Kind, policy: Policy, callsCount: number, retriesCount: number, machine: Machine): Exchange[] {
  let now = startMs
  return Array.from({ length: callsCount }, (_, call) => {
    let before = 0
    return Array.from({ length: retriesCount + 1 }, (_, failures) => {
      before = failures === 0 ? 1_500 : waits[kind](policy, failures, before)
      now += before + lateness[machine](policy.random)
      return tryOf(`/books/${call}`, now, failures === retriesCount ? 200 : null)
    })
  }).flat()
}

type Verdicts = Record<'failed' | 'passed' | 'not_seen', number>
/** Draws a client: what it sent. */
type Draw = (random: () => number, between: (from: number, to: number) => number) => Exchange[]

/** How many of the clients get which verdict by each rule. */
function judgeMany(draw: Draw, count = clientsCount): { readonly backOff: Verdicts; readonly jitter: Verdicts } {
  const verdicts = { backOff: { failed: 0, passed: 0, not_seen: 0 }, jitter: { failed: 0, passed: 0, not_seen: 0 } }
  const random = createRandom(48)
  const between = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  for (let index = 0; index < count; index++) {
    const history = historyOf(draw(random, between))
    verdicts.backOff[verdictOf(backOff, history)]++
    verdicts.jitter[verdictOf(jitter, history)]++
  }
  return verdicts
}

function verdictOf(rule: Rule, history: History): keyof Verdicts {
  const occasions = rule.check(history, {})
  if (occasions.some(({ violation }) => violation)) return 'failed'
  return occasions.length > 0 ? 'passed' : 'not_seen'
}

const failedOf = (draw: Draw) => {
  const verdicts = judgeMany(draw)
  return [verdicts.backOff.failed, verdicts.jitter.failed]
}

/** Each client has its own first wait, and its own number of calls and retries. */
const clientsWith =
  (kind: Kind, [callsMin, callsMax]: readonly [number, number], machine: Machine = 'idle', firstMsMin = 250): Draw =>
  (random, between) =>
    callsOf(kind, { random, firstMs: between(firstMsMin, 2_000) }, between(callsMin, callsMax), between(3, 5), machine)

for (const kind of ['full', 'equal', 'decorrelated', 'a tenth'] as const) {
  for (const machine of ['idle', 'busy'] as const) {
    test(`no client with ${kind} jitter fails on a machine that is ${machine}, from a first wait of 100 ms on`, () => {
      expect(failedOf(clientsWith(kind, [1, 8], machine, 100))).toEqual([0, 0])
    })
  }
}

test('a client with full jitter does not fail for being seen often', () => {
  const random = createRandom(1)
  for (let count = 0; count < 50; count++) {
    const history = historyOf(callsOf('full', { random, firstMs: 100 }, 150, 3, 'idle'))
    for (const { check } of [backOff, jitter])
      expect(check(history, {}).filter(({ violation }) => violation)).toEqual([])
  }
})

test('no client with several callers of one URL fails', () => {
  const draw =
    (kind: Kind): Draw =>
    (random, between) => {
      const policy = { random, firstMs: between(100, 2_000) }
      const recoveredMs = random() * 4_000
      const arrivals = Array.from({ length: between(2, 20) }, () => {
        let before = 0
        let now = random() * 5
        return Array.from({ length: 4 }, (_, failures) => {
          if (failures > 0) before = waits[kind](policy, failures, before)
          now += before + lateness.idle(random)
          return now
        }).filter((_, index, all) => index === 0 || (all[index - 1] ?? 0) < recoveredMs)
      })
      // The API handles one after the other.
      let free = 0
      return arrivals
        .flat()
        .toSorted((a, b) => a - b)
        .map((at) => {
          const start = Math.max(at, free)
          free = start + 0.4
          return tryOf('/books', startMs + start, start < recoveredMs ? null : 200, 0.4)
        })
    }
  for (const kind of ['full', 'exponential'] as const) expect(failedOf(draw(kind))).toEqual([0, 0])
})

test('no client that polls fails, whatever its pace and however often the API fails', () => {
  const poll: Draw = (random, between) => {
    const everyMs = 200 * 300 ** random()
    let now = startMs
    return Array.from({ length: between(1, 3) }, () => [
      ...Array.from({ length: between(1, 4) }, () => 200),
      ...Array.from({ length: between(3, 8) }, () => null),
    ])
      .flat()
      .map((status) => {
        now += everyMs + lateness.idle(random)
        return tryOf('/books', now, status)
      })
  }
  expect(failedOf(poll)).toEqual([0, 0])
})

const all = (verdict: keyof Verdicts): Verdicts => ({ failed: 0, passed: 0, not_seen: 0, [verdict]: clientsCount })

test('every client with a fixed wait fails both rules where it was seen in five calls', () => {
  const fixed: Draw = (random, between) =>
    callsOf('fixed', { random, firstMs: between(250, 1_700) }, between(5, 8), between(3, 5), 'idle')
  expect(judgeMany(fixed)).toEqual({ backOff: all('failed'), jitter: all('failed') })
})

test('most clients that do not wait fail where they were seen in six calls, and none passes', () => {
  // A request that arrives within a millisecond may come from another caller.
  const { failed, passed } = judgeMany(clientsWith('none', [6, 8]), someCount).backOff
  expect([failed > 0.95 * someCount, passed]).toEqual([true, 0])
})

test('a client that doubles its waits without jitter passes back-off from two calls on, and fails jitter from five on', () => {
  expect(judgeMany(clientsWith('exponential', [2, 4]), someCount).backOff.passed).toBe(someCount)
  expect(judgeMany(clientsWith('exponential', [5, 8]))).toEqual({ backOff: all('passed'), jitter: all('failed') })
  // One call proves nothing.
  expect(judgeMany(clientsWith('exponential', [1, 1]), someCount).jitter.not_seen).toBe(someCount)
})

test('a busy machine does not let a client pass that waits equally long each time', () => {
  for (const calls of [
    [1, 1],
    [2, 8],
  ] as const) {
    const { backOff, jitter } = judgeMany(clientsWith('fixed', calls, 'busy'))
    expect([backOff.passed, jitter.passed]).toEqual([0, 0])
  }
  expect(judgeMany(clientsWith('exponential', [2, 8], 'busy')).jitter.passed).toBe(0)
})

test('few clients with random waits that do not grow pass back-off', () => {
  const { passed } = judgeMany(clientsWith('uniform', [1, 8], 'busy')).backOff
  expect(passed).toBeLessThan(0.01 * clientsCount)
})

test('most clients with random waits pass where they were seen in six calls', () => {
  for (const kind of ['full', 'equal', 'decorrelated'] as const) {
    const { backOff, jitter } = judgeMany(clientsWith(kind, [6, 10], 'busy'), someCount)
    expect(backOff.passed).toBeGreaterThan(0.8 * someCount)
    expect(jitter.passed).toBeGreaterThan(0.98 * someCount)
  }
})
