import { afterAll, expect, test } from 'bun:test'
import { rules } from '../../../judge/src/rules/all.ts'
import { profileOf } from '../../src/sandbox/profile.ts'
import { petShop } from '../../src/shop/index.ts'
import { readGuides } from '../../src/surfaces/pages/guides.ts'
import { eventually } from '../harness/eventually.ts'
import { startTestHost, type TestSandbox, toSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

// The report over HTTP: what is kept, and what is open. judge/test has the rules.

const host = await startTestHost()
afterAll(() => host.stop())

const guides = readGuides(petShop.guides).flatMap((part) => part.guides)
const profile = profileOf(petShop.operations, 'http://shop')

const reportOf = async ({ send }: TestSandbox) => (await send('GET', '/_sandbox/report')).body
const resultOf = async (sandbox: TestSandbox, rule: string) =>
  (await reportOf(sandbox)).rules.find((result: { rule: string }) => result.rule === rule)

test('every rule applies to the shop, and names a guide that exists', () => {
  expect(rules.filter(({ needs }) => needs.some((entry) => profile[entry] === undefined))).toEqual([])
  const names = rules.map(({ id }) => profile.guides?.[id]?.replace('http://shop/docs/guides/', ''))
  expect(names.filter((name) => !guides.some((guide) => guide.name === name))).toEqual([])
})

test('the guide to testing names every rule, with its level and title', () => {
  const testing = guides.find(({ name }) => name === 'testing')?.text ?? ''
  const listed = [...testing.matchAll(/^\| `([\w-]+)` \| (\w+) \| (.+) \|$/gm)].map(([, ...cells]) => cells)
  expect(listed).toEqual(rules.map(({ id, level, title }) => [id, level, title]))
})

test('the profile says which codes pass with time', () => {
  expect(profile.errors?.retry.codes).toEqual(['unavailable'])
  expect(profile.errors?.mayRetry.codes).toContain('internal_error')
  const codes = [...(profile.errors?.retry.codes ?? []), ...(profile.errors?.mayRetry.codes ?? [])]
  expect(codes.filter((code) => !petShop.errors.some((error) => error.code === code))).toEqual([])
})

test('the profile names what lifts a limit, what has its own, and what shows a client the events that it missed', () => {
  const { limits, streams } = profile
  expect([limits?.liftedBy, limits?.exempt]).toEqual([['updateKey', 'unbanKey'], ['getLimits']])
  expect(streams?.shownBy).toEqual(expect.arrayContaining(['listPets', 'getPetProfile', 'getStoreSummary']))
  for (const id of ['getLimits', 'streamEvents', 'createPet']) expect(streams?.shownBy).not.toContain(id)
})

test('a finding is kept however many requests follow, over a restart, and until a reset', async () => {
  let sandbox = await host.create()
  await sandbox.send('PATCH', '/pets/1', { name: 'Max' })
  await sandbox.send('GET', '/pets?cursor=20')
  for (let round = 0; round < 42; round++)
    await Promise.all(Array.from({ length: 50 }, () => sandbox.send('GET', '/categories?limit=1')))
  const before = await reportOf(sandbox)
  expect(before.requests).toEqual({ seen: 2_102, shown: 1_000, open: 0, undecided: 0 })
  expect(before.failed).toEqual(['pages', 'conditions'])
  expect((await resultOf(sandbox, 'credentials')).seen).toBe(2_102)
  expect((await resultOf(sandbox, 'conditions')).violations).toMatchObject([{ requests: [1] }])

  await host.restart()
  sandbox = toSandbox({ ...sandbox, url: `${host.url}/s/${sandbox.id}` })
  const after = await reportOf(sandbox)
  expect([after.failed, after.requests]).toEqual([before.failed, before.requests])
  await sandbox.send('PATCH', '/pets/2', { name: 'Rex' })
  expect((await resultOf(sandbox, 'conditions')).violations).toMatchObject([{ requests: [1] }, { requests: [2_103] }])

  await sandbox.send('POST', '/_sandbox/reset', {})
  expect((await reportOf(sandbox)).failed).toEqual([])
})

test('a webhook that was not acknowledged is kept after months, and after the webhook is gone', async () => {
  const sandbox = await host.create({ data: 'empty' })
  await using receiver = await startReceiver()
  receiver.response = (_, response) => response.writeHead(500).end()
  const { body: webhook } = await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await eventually(() => receiver.received.length === 1)
  receiver.response = (_, response) => response.writeHead(204).end()
  await sandbox.send('POST', '/_sandbox/forge', { webhookId: webhook.id })
  receiver.response = (_, response) => response.writeHead(500).end()
  await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 100 * 86_400 })
  const result = await resultOf(sandbox, 'webhooks')
  expect([result.verdict, result.violationCount, result.seen]).toEqual(['failed', 1, 1])
  await sandbox.send('DELETE', `/webhooks/${webhook.id}`)
  expect(await resultOf(sandbox, 'webhooks')).toEqual(result)
  expect((await sandbox.send('GET', '/_sandbox/deliveries')).body.data).toMatchObject([{ forged: true }])
  expect((await resultOf(sandbox, 'signatures')).verdict).toBe('failed')
})

test('requests without a response yet are counted as open', async () => {
  const sandbox = await host.create()
  const slow = { rules: [{ operation: 'getPetProfile', fault: 'slow', latencyMs: 30_000 }] }
  await sandbox.send('PUT', '/_sandbox/faults', slow)
  const client = new AbortController()
  const headers = { 'X-API-Key': sandbox.apiKey }
  const waiting = fetch(`${sandbox.url}/pets/1/profile`, { headers, signal: client.signal }).catch(() => undefined)
  await eventually(async () => (await reportOf(sandbox)).requests.open === 1)
  expect((await reportOf(sandbox)).requests.seen).toBe(1)
  client.abort()
  await waiting
})

test('where the name of a host does not resolve, there is no receiver to judge', async () => {
  const sandbox = await host.create({ data: 'empty' })
  const attempts = async () => (await sandbox.send('GET', '/_sandbox/deliveries')).body.data
  await sandbox.send('POST', '/webhooks', { url: 'https://nowhere.invalid/in', events: ['*'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  await eventually(async () => (await attempts()).length > 0)
  await sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 3_600 })
  await eventually(async () => (await attempts()).length > 1)
  expect((await resultOf(sandbox, 'webhooks')).verdict).toBe('not_seen')
})
