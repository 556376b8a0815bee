import type { RuleResult, Sandbox } from '@petstore/sdk/testing'
import { type Client, runClient } from '../run-client.ts'
import type { Challenge, Stage } from './challenge.ts'

export interface Result {
  readonly challenge: string
  readonly passed: boolean
  /** Whether it broke a rule, so that it can no longer pass. */
  readonly hasFailed: boolean
  /** What the client has yet to learn, or what it left undone. */
  readonly faults: readonly string[]
}

const minuteMs = 60_000
const limits = { perMinute: 10_000, perDay: 1_000_000 }

/** Prepares a new sandbox for a challenge. The client gets its own key, so that it can be told apart from the challenge itself. */
export async function setUp(shop: Sandbox, { faults, secondsLeft }: Challenge): Promise<Stage> {
  const admin = shop.client()
  const { secret } = await admin.keys.create({ name: 'client', plan: 'enterprise', preset: 'admin', limits })
  for (const { fault, times, ...where } of faults) await shop.fail(where, fault, { times })
  if (secondsLeft !== undefined) {
    await shop.freeze()
    const { at } = await shop.clock()
    const minute = Math.floor(Date.parse(at) / minuteMs) + 2
    await shop.setTime(new Date(minute * minuteMs - secondsLeft * 1000))
  }
  return { shop, apiKey: secret, admin }
}

export const checkedRules = ({ rules, mustNotFail = [] }: Challenge): readonly string[] => [...rules, ...mustNotFail]

/** Judges what the client did so far, only by the rules of the challenge and by its result. */
export async function judge(stage: Stage, challenge: Challenge): Promise<Result> {
  const { name, rules, findFault } = challenge
  const report = await stage.shop.report()
  const failed = report.rules.filter(
    ({ rule, verdict }) => verdict === 'failed' && checkedRules(challenge).includes(rule),
  )
  const unseen = report.rules.filter(
    ({ rule, verdict }) => verdict !== 'failed' && verdict !== 'passed' && rules.includes(rule),
  )
  const wrongResult = await findFault(stage)
  const faults = [
    ...failed.map(describeFailure),
    ...unseen.map(({ title, advice }) => `not seen: ${title}. ${advice}`),
    ...(wrongResult === undefined ? [] : [wrongResult]),
  ]
  return { challenge: name, passed: faults.length === 0, hasFailed: failed.length > 0, faults }
}

const describeFailure = ({ title, violations: [first], advice }: RuleResult): string =>
  `failed: ${title}. ${first?.explanation ?? ''} ${advice}`

/** Runs a client through a challenge and judges it. */
export async function runChallenge(shop: Sandbox, challenge: Challenge, { env, ...client }: Client): Promise<Result> {
  const stage = await setUp(shop, challenge)
  const ended = new AbortController()
  const playing = challenge.play?.(stage, ended.signal)
  const variables = { PETSTORE_URL: shop.url, PETSTORE_API_KEY: stage.apiKey, PETSTORE_CHALLENGE: challenge.name }
  const failure = await runClient({ ...client, env: { ...env, ...variables } })
  ended.abort()
  await playing
  // A client that has ended retries nothing.
  await shop.advance('1 minute')
  const result = await judge(stage, challenge)
  return failure === undefined ? result : { ...result, passed: false, faults: [failure, ...result.faults] }
}
