import { afterAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startTestHost, type TestSandbox, toSandbox } from '../harness/sandbox.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const keep = async ({ send }: TestSandbox): Promise<number> => {
  const { status, body } = await send('POST', '/_sandbox/snapshots', {})
  if (status !== 201) throw new Error(JSON.stringify(body))
  return body.id
}
const restore = ({ send }: TestSandbox, id: number) => send('POST', `/_sandbox/snapshots/${id}/restore`, {})

/** What a client and its tests see of a sandbox. */
async function stateOf({ send }: TestSandbox) {
  const tools = ['clock', 'faults', 'requests', 'deliveries'].map((name) => `/_sandbox/${name}`)
  const state: unknown[] = []
  // The list of requests before they change it.
  for (const path of [...tools, '/categories?limit=100', '/store/orders?limit=100', '/keys', '/limits'])
    state.push((await send('GET', path)).body)
  return state
}

test('everything goes back to what it was', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  const { send } = sandbox
  await send('POST', '/categories', { name: 'Owls' })
  await send('PUT', '/_sandbox/clock', { advanceSeconds: 3_600 })
  await send('PUT', '/_sandbox/faults', {
    rules: [
      { operation: 'placeOrder', fault: 'unavailable', times: 2 },
      { operation: 'listPets', fault: 'internal_error', nth: 2 },
    ],
  })
  await send('POST', '/store/orders', { petId: 1 })
  await send('GET', '/pets')
  const id = await keep(sandbox)
  const before = await stateOf(sandbox)
  const change = async () => {
    const key = await send('POST', '/keys', { name: 'Till', plan: 'free', preset: 'reader' })
    const statuses = [await send('POST', '/store/orders', { petId: 1 }), await send('GET', '/pets')]
    await send('PUT', '/_sandbox/clock', { advanceSeconds: 86_400 })
    return [key.body.secret, ...statuses.map(({ status }) => status)]
  }
  await restore(sandbox, id)
  const changed = await change()
  expect(changed.slice(1)).toEqual([503, 500])
  await send('POST', '/_sandbox/reset', { seed: 'other' })
  host.clock.advance(10_000)
  const { status, body } = await sandbox.send('POST', `/_sandbox/snapshots/${id}/restore`, {})
  expect([status, body.apiKey, body.seed]).toEqual([200, sandbox.apiKey, sandbox.seed])
  expect(await stateOf(sandbox)).toEqual(before)
  // The random sequence goes on from there, too.
  await restore(sandbox, id)
  expect(await change()).toEqual(changed)
})

test('what was found before is kept, and nothing is found twice', async () => {
  const sandbox = await host.create()
  const { send } = sandbox
  const found = async () => {
    const { failed, requests, rules } = (await send('GET', '/_sandbox/report')).body
    const edits = rules.find(({ rule }: { rule: string }) => rule === 'conditions')
    return [failed, requests.seen, edits.violations.map((violation: { requests: number[] }) => violation.requests)]
  }
  await send('PATCH', '/pets/1', { name: 'Max' })
  const id = await keep(sandbox)
  // Requests are judged in the order of their times, and this clock is stopped.
  host.clock.advance(60_000)
  await send('PATCH', '/pets/2', { name: 'Rex' })
  await send('GET', '/pets?cursor=20')
  await restore(sandbox, id)
  await restore(sandbox, id)
  expect(await found()).toEqual([['pages', 'conditions'], 3, [[1], [2]]])
  // The requests are those of the snapshot, and the next one gets a new id.
  await send('PATCH', '/pets/3', { name: 'Rex' })
  const { data } = (await send('GET', '/_sandbox/requests')).body
  expect(data.map((request: { id: number }) => request.id)).toEqual([4, 1])
  expect(await found()).toEqual([['pages', 'conditions'], 4, [[1], [2], [4]]])
  await send('POST', '/_sandbox/reset', {})
  expect((await found())[0]).toEqual([])
})

test('the findings of a snapshot come back after a reset', async () => {
  const sandbox = await host.create()
  const { send } = sandbox
  await using receiver = await startReceiver()
  receiver.response = (_, response) => response.writeHead(204).end()
  const { body: webhook } = await send('POST', '/webhooks', { url: receiver.url, events: ['category.created'] })
  await send('POST', '/_sandbox/forge', { webhookId: webhook.id })
  const failed = async () => (await send('GET', '/_sandbox/report')).body.failed
  expect(await failed()).toEqual(['signatures'])
  const id = await keep(sandbox)
  await send('POST', '/_sandbox/reset', {})
  expect(await failed()).toEqual([])
  await restore(sandbox, id)
  expect(await failed()).toEqual(['signatures'])
})

test('a clock that runs goes on from where it was', async () => {
  const sandbox = await host.create()
  const { at } = (await sandbox.send('GET', '/_sandbox/clock')).body
  const id = await keep(sandbox)
  host.clock.advance(5_000)
  await restore(sandbox, id)
  expect((await sandbox.send('GET', '/_sandbox/clock')).body).toEqual({ at, frozen: false })
  host.clock.advance(5_000)
  expect(Date.parse((await sandbox.send('GET', '/_sandbox/clock')).body.at) - Date.parse(at)).toBe(5_000)
})

test('snapshots survive a restart of the host, and end with their sandbox', async () => {
  const sandbox = await host.create()
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  const id = await keep(sandbox)
  await host.restart()
  const reopened = toSandbox({ ...sandbox, url: `${host.url}/s/${sandbox.id}` })
  const { send } = reopened
  expect((await send('GET', '/_sandbox/snapshots')).body.data).toMatchObject([{ id, at: expect.any(String) }])
  await send('POST', '/_sandbox/reset', {})
  await restore(reopened, id)
  const names = (await send('GET', '/categories?limit=100')).body.map(({ name }: { name: string }) => name)
  expect(names).toContain('Owls')
  await host.send('DELETE', `/sandboxes/${sandbox.id}`)
  expect(readdirSync(join(host.directory, 'snapshots'))).not.toContain(sandbox.id)
})

test('a sandbox has at most ten, and each can be deleted', async () => {
  const sandbox = await host.create()
  const { send } = sandbox
  const ids: number[] = []
  while (ids.length < 10) ids.push(await keep(sandbox))
  const full = await send('POST', '/_sandbox/snapshots', {})
  expect([full.status, full.body.code]).toEqual([409, 'snapshot_limit_reached'])
  expect((await send('DELETE', `/_sandbox/snapshots/${ids[3]}`)).status).toBe(204)
  expect((await send('DELETE', `/_sandbox/snapshots/${ids[3]}`)).status).toBe(404)
  expect(await keep(sandbox)).toBe(11)
  for (const id of [ids[3], 99, 'x', '..%2f1']) {
    const { status, body } = await send('POST', `/_sandbox/snapshots/${id}/restore`, {})
    expect([id, status, body.code]).toEqual([id, 404, 'snapshot_not_found'])
  }
})

test('requests that no longer fit are judged before a snapshot drops them', async () => {
  const sandbox = await host.create()
  const { send } = sandbox
  const failed = async () => (await send('GET', '/_sandbox/report')).body.failed
  await send('GET', '/pets?api_key=mine')
  // More than are kept, at once: they are not in their file yet.
  await Promise.all(Array.from({ length: 1_100 }, () => send('GET', '/limits')))
  const id = await keep(sandbox)
  expect(await failed()).toContain('credentials')
  await restore(sandbox, id)
  expect(await failed()).toContain('credentials')
})
