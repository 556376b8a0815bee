import type { Scenario } from './client.ts'
import type { Call, Observation, Token } from './observe.ts'

/** The runs of one scenario do not agree. */
export const differs = 'differs between runs'

/** What all runs have in common, in words. */
export function stateFacts(scenario: Scenario, runs: readonly Observation[]): string {
  const [first, ...others] = runs
  if (!first || others.some((run) => factsOf(run) !== factsOf(first))) return differs
  if (scenario === 'lost' && first.calls.length > 0) return stateRepeats(first)
  const calls = first.calls.map((call, index) => {
    const ranges = call.waitsMs.map((_, at) => rangeOf(runs.map(({ calls }) => calls[index]?.waitsMs[at] ?? 0)))
    return { call, ranges }
  })
  const state = scenario === 'limited' ? stateWait : stateRetries
  const [one, ...more] = calls
  if (!one) return 'sent nothing'
  if (more.every((other) => areAlike(one, other))) return state(mergeAll([one, ...more]))
  return calls.map((each, index) => `call ${index + 1}: ${state(each)}`).join('; ')
}

/** What must be the same in all runs: all but the exact times. */
const factsOf = ({ calls, changes }: Observation): string =>
  JSON.stringify([changes, calls.map(({ tries, isAnswered, token }) => [tries, isAnswered, token])])

const times = (count: number): string => ['never', 'once', 'twice'][count] ?? `${count} times`

/** What a call had for the API to recognise a repeat. Nothing is said if the API has nothing for that. */
const keyOf: Readonly<Record<Token, string>> = {
  none: ', without a key',
  one: ', with one key',
  several: ', with another key each time',
}

function stateRepeats({ calls, changes }: Observation): string {
  const sent = calls.map(({ tries, token }) => `sent it ${times(tries)}${token === undefined ? '' : keyOf[token]}`)
  return `${sent.join('; ')}: done ${times(changes)}`
}

interface Range {
  readonly fromMs: number
  readonly toMs: number
}
interface Observed {
  readonly call: Call
  /** The wait before each further try, over all runs. */
  readonly ranges: readonly Range[]
}

const rangeOf = (all: readonly number[]): Range => ({ fromMs: Math.min(...all), toMs: Math.max(...all) })

/** Waits that are this far apart are not by chance. */
const apartMs = 1_000

/** Whether a client treats two calls alike, apart from random parts of its waits. */
const areAlike = (one: Observed, other: Observed): boolean =>
  one.call.tries === other.call.tries &&
  one.call.isAnswered === other.call.isAnswered &&
  one.ranges.every(({ fromMs, toMs }, at) => {
    const { fromMs: otherFromMs = 0, toMs: otherToMs = 0 } = other.ranges[at] ?? {}
    return otherFromMs - toMs < apartMs && fromMs - otherToMs < apartMs
  })

/** Calls that are alike as one, with the range of all their waits. */
function mergeAll(calls: readonly [Observed, ...Observed[]]): Observed {
  const [{ call, ranges }] = calls
  const all = ranges.map((_, at) => calls.flatMap(({ ranges }) => ranges[at] ?? []))
  return { call, ranges: all.map((each) => rangeOf(each.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))) }
}

/** What a busy machine takes between a response and a request that follows at once. */
const atOnceMs = 100

function stateWait({ call, ranges: [wait] }: Observed): string {
  if (!wait) return 'did not send it again'
  const after = wait.toMs < atOnceMs ? 'sent it again at once' : `sent it again after ${inSeconds(wait)} s`
  return call.isAnswered ? after : `${after}, then gave up`
}

function stateRetries({ call, ranges }: Observed): string {
  if (ranges.length === 0) return 'did not send it again'
  const waits = ranges.every(({ toMs }) => toMs < atOnceMs) ? 'at once' : `after ${ranges.map(inSeconds).join(', ')} s`
  return `sent it ${times(ranges.length)} more, ${waits}${call.isAnswered ? '' : ', then gave up'}`
}

/** Waits that differ by more than a busy machine makes them. */
const noiseMs = 150
const noiseShare = 0.1

/** "2.0", or "0.4–0.9" if it is another wait each time. */
function inSeconds({ fromMs, toMs }: Range): string {
  const [from, to] = [fromMs, toMs].map((ms) => (Math.max(0, ms) / 1_000).toFixed(1))
  const isSteady = toMs - fromMs <= Math.max(noiseMs, noiseShare * toMs)
  return isSteady || from === to ? (from ?? '') : `${from}–${to}`
}
