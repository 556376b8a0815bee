import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { noteMissing, runUncounted } from '../../server/test/harness/run/debian-program.ts'
import { root } from '../../server/test/harness/run/run-service.ts'
import { clientsRoot } from '../../server/test/harness/run/test-selection.ts'
import { settingsOf } from '../judged/client.ts'
import { clients, folder } from '../judged/clients.ts'
import { expected, findSurprise } from '../judged/expectation.ts'
import { judgeClient } from '../judged/judge-client.ts'
import type { Call } from '../judged/observe.ts'
import { stateFacts } from '../judged/state-facts.ts'

// Well-known clients get the verdicts that their authors would accept. expected.json has each verdict, and why. `npm run judged` runs
// more clients, also with the settings that their documentation recommends.

/** Those of npm that call the stub. */
const names = [
  ...['axios-retry', 'fetch-retry', 'got', 'ky', 'octokit', 'ofetch', 'openai', 'stripe', 'superagent', 'undici'],
] as const
const pinned = names.map((name) => clients.find((client) => client.name === name))

/** They wait as they do in production. */
const timeoutMs = 300_000

runUncounted([process.execPath, join(root, clientsRoot, 'install.ts'), folder])

test('every verdict of every client is expected, with a reason', () => {
  const wanted = clients.map((client) => [
    client.name,
    Object.fromEntries(settingsOf(client).map((setting) => [setting, [...client.scenarios].toSorted()])),
  ])
  const given = Object.entries(expected).map(([name, settings]) => [
    name,
    Object.fromEntries(Object.entries(settings).map(([setting, all]) => [setting, Object.keys(all).toSorted()])),
  ])
  expect(Object.fromEntries(given)).toEqual(Object.fromEntries(wanted))
  const all = Object.values(expected).flatMap((settings) =>
    Object.values(settings).flatMap((each) => Object.values(each)),
  )
  expect(all.filter(({ verdict, or, why }) => verdict === or || !why.endsWith('.'))).toEqual([])
})

const retried = (waitsMs: readonly number[], more: Partial<Call> = {}): Call => ({
  ...{ tries: waitsMs.length + 1, waitsMs, isAnswered: true, token: 'none' },
  ...more,
})

test('facts are stated if all runs agree, with the range of waits that are not the same', () => {
  const repeats = [{ calls: [retried([500])], changes: 2 }]
  expect(stateFacts('lost', repeats)).toBe('sent it twice, without a key: done twice')
  const once = { calls: [retried([])], changes: 1 }
  expect(stateFacts('lost', [...repeats, once])).toBe('differs between runs')
  const waits = [2_001, 2_030].map((wait) => ({ calls: [retried([wait]), retried([wait + 9])], changes: 0 }))
  expect(stateFacts('limited', waits)).toBe('sent it again after 2.0 s')
  const random = [400, 900].map((wait) => ({ calls: [retried([wait, 2_000], { isAnswered: false })], changes: 0 }))
  expect(stateFacts('unavailable', random)).toBe('sent it twice more, after 0.4–0.9, 2.0 s, then gave up')
  const calls = [retried([1_000, 4_000]), retried([16_000, 4_000])]
  expect(stateFacts('unavailable', [{ calls, changes: 0 }])).toBe(
    'call 1: sent it twice more, after 1.0, 4.0 s; call 2: sent it twice more, after 16.0, 4.0 s',
  )
})

for (const client of pinned) {
  if (!client) throw new Error(`One of ${names.join(', ')} is not in clients.ts.`)
  const missing = client.missing()
  if (missing !== undefined) noteMissing(missing)
  const run = missing === undefined ? test.concurrent : test.skip
  run(
    `${client.name} gets the verdicts that its requests deserve`,
    async () => {
      // One after the other: at the same time they would disturb each other's waits.
      for (const scenario of client.scenarios) {
        const surprise = findSurprise(client, 'default', scenario, await judgeClient(client, 'default', scenario))
        expect(surprise).toBeUndefined()
      }
    },
    timeoutMs,
  )
}
