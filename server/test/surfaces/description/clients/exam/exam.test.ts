import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { challenges } from '../../../../../../cli/src/sandbox/challenges.ts'
import { runChallenge } from '../../../../../../cli/src/sandbox/run-challenge.ts'
import type { Report } from '../../../../../../sdk/src/testing/records.ts'
import { startSandbox } from '../../../../../../sdk/src/testing/sandbox.ts'
import { startTemporaryHost } from '../../../../../src/sandbox/serve.ts'
import { root } from '../../../../harness/run/run-service.ts'
import { newDirectory } from '../../../../harness/scratch.ts'
import expectedVerdicts from './expected.json' with { type: 'json' }
import { node, programs, versionsOf } from './programs.ts'
import { takeExam } from './take-exam.ts'

// The report judges clients that others wrote as their authors would accept. expected.json has each verdict, and why.

interface Expected {
  readonly verdict: string
  /** Verdicts that are right, too, where a busy machine decides whether the report can tell. */
  readonly or?: readonly string[]
  readonly why: string
}
/** The versions of Debian's packages that were examined, and the verdicts. */
const { versions, ...verdicts } = expectedVerdicts
const { 'every client': ofEveryClient, ...ofClients } = verdicts as Readonly<
  Record<string, Readonly<Record<string, Expected>>>
>

/** They wait and time out as they do in production. */
const timeoutMs = 600_000

const host = await startTemporaryHost({ LOG_LEVEL: 'silent' })
const directory = newDirectory()
const table: string[] = []
afterAll(async () => {
  process.stdout.write(`${table.join('\n')}\n`)
  await host.stop()
  directory.remove()
})

async function examine(name: string): Promise<Report> {
  const shop = await startSandbox({ host: host.url, seed: 'exam' })
  const report = await takeExam(shop, (await programs[name]?.(directory.path)) ?? [])
  table.push(`${describe(name)}\n  ${report.rules.map(({ rule, verdict }) => `${rule}: ${verdict}`).join(', ')}`)
  return report
}

/** The name of a client with its versions, and those for which the verdicts were written if they are others. */
function describe(name: string): string {
  const known: Readonly<Record<string, string>> = versions
  const all = Object.entries(versionsOf(name)).map(([each, version]) =>
    (known[each] ?? version) === version ? `${each} ${version}` : `${each} ${version}, examined as ${known[each]}`,
  )
  return all.length === 0 ? name : `${name} (${all.join('; ')})`
}

/** The verdicts that are not as expected, with what the report says and what the table says. */
function findSurprises({ rules }: Report, expected: Readonly<Record<string, Expected>>) {
  return rules.flatMap(({ rule, verdict, violations }) => {
    const entry = expected[rule]
    if (entry && [entry.verdict, ...(entry.or ?? [])].includes(verdict)) return []
    return [{ rule, verdict, found: violations.map(({ explanation }) => explanation), expected: entry }]
  })
}

test('no expectation accepts every verdict', () => {
  const entries = Object.values(verdicts).flatMap((each) => Object.values(each) as Expected[])
  for (const { verdict, or = [], why } of entries)
    expect([why, new Set([verdict, ...or]).size]).toEqual([why, or.length + 1])
  expect(Math.max(...entries.map(({ or = [] }) => or.length))).toBe(1)
})

/** One after the other: their programs would disturb each other's waits. */
const testOf = (name: string) => (programs[name] ? test : test.skip)

for (const [name, own] of Object.entries(ofClients)) {
  testOf(name)(
    `${name} gets the verdicts that its requests deserve`,
    async () => {
      const report = await examine(name)
      const expected = { ...ofEveryClient, ...own }
      expect(findSurprises(report, expected)).toEqual([])
      expect(Object.keys(expected).toSorted()).toEqual(report.rules.map(({ rule }) => rule).toSorted())
    },
    timeoutMs,
  )
}

testOf('our SDK')(
  'our SDK keeps every rule, and is seen to',
  async () => {
    const reports = [await examine('our SDK')]
    // Chance may draw waits that do not grow, or look alike.
    const hasPassed = (id: string) =>
      reports.some(({ rules }) => rules.some(({ rule, verdict }) => rule === id && verdict === 'passed'))
    while (!['back-off', 'jitter'].every(hasPassed) && reports.length < 5) reports.push(await examine('our SDK'))
    const client = [node, join(root, 'examples/challenges/client.mjs')]
    // What the exam, which is the same for all, does not ask for.
    for (const challenge of challenges.filter(({ name }) => ['events', 'webhooks', 'deprecation'].includes(name))) {
      const shop = await startSandbox({ host: host.url })
      await runChallenge(shop, challenge, { words: client, env: process.env, timeoutMs })
      reports.push(await shop.report())
    }
    const results = reports.flatMap(({ rules }) => rules)
    expect(results.filter(({ verdict }) => verdict === 'failed')).toEqual([])
    const passed = new Set(results.filter(({ verdict }) => verdict === 'passed').map(({ rule }) => rule))
    expect([...passed].toSorted()).toEqual([...new Set(results.map(({ rule }) => rule))].toSorted())
  },
  timeoutMs,
)
