import { afterAll, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { failureOf } from '../harness/failure-of.ts'
import { startTestHost } from '../harness/sandbox.ts'
import { startAnyReceiver } from '../platform/webhooks/receiver.ts'

// What happens to a sandbox while something else happens to it.

const host = await startTestHost()
afterAll(() => host.stop())

const folderOf = (id: string) => join(host.directory, 'sandboxes', id)
const storedSeed = (id: string) => JSON.parse(readFileSync(join(folderOf(id), 'sandbox.json'), 'utf8')).seed

/** A receiver that responds when it is told to. */
async function startSlowReceiver() {
  const mayRespond = Promise.withResolvers<void>()
  const receiver = await startAnyReceiver((_, response) => void mayRespond.promise.then(() => response.end()))
  return { receiver, response: mayRespond.resolve }
}

test('a second host on the same directory is rejected, and the first one goes on', async () => {
  const { directory } = host
  const failure = await failureOf(startTestHost({ directory }))
  expect(String(failure)).toContain(`in ${directory} are already served by process ${process.pid} on`)
  const { status } = await (await host.create()).send('GET', '/pets')
  expect(status).toBe(200)
})

test('a directory that cannot be written is rejected, with what to do', async () => {
  const directory = join(import.meta.path, 'in-a-file')
  const failure = await failureOf(startTestHost({ directory }))
  expect(String(failure)).toContain(
    `cannot be stored in ${directory}. Use another directory: petstore sandbox --directory`,
  )
})

test('a host completes a reset that a crash interrupted, or keeps what was there', async () => {
  const [kept, replaced] = [await host.create({ seed: 'kept' }), await host.create({ seed: 'replaced' })]
  for (const { send } of [kept, replaced]) await send('POST', '/categories', { name: 'Owls' })
  await host.restart(() => {
    for (const { id } of [kept, replaced]) cpSync(folderOf(id), `${folderOf(id)}.new`, { recursive: true })
    rmSync(join(`${folderOf(kept.id)}.new`, 'sandbox.json'))
    rmSync(join(folderOf(replaced.id), 'shop.db'))
  })
  for (const { id, apiKey } of [kept, replaced]) {
    const { body } = await host.send('GET', `/s/${id}/categories?q=owls`, undefined, { 'X-API-Key': apiKey })
    expect(body).toHaveLength(1)
  }
  expect(readdirSync(join(host.directory, 'sandboxes')).filter((name) => name.includes('.'))).toEqual([])
})

test('a sandbox that ends while resets wait does not come back', async () => {
  const { id, send } = await host.create({ data: 'empty' })
  const { receiver, response } = await startSlowReceiver()
  await using _ = receiver
  await send('POST', '/webhooks', { url: receiver.url, events: ['category.*'] })
  await send('POST', '/categories', { name: 'Owls' })
  await eventually(() => receiver.received.length === 1)
  // Both wait for the delivery.
  const resets = [send('POST', '/_sandbox/reset', {}), send('POST', '/_sandbox/reset', {})]
  await host.send('GET', '/healthz')
  const ended = host.send('DELETE', `/sandboxes/${id}`)
  await host.send('GET', '/healthz')
  response()
  expect((await ended).status).toBe(204)
  for (const { status } of await Promise.all(resets)) expect(status).toBeOneOf([200, 404])
  expect(existsSync(folderOf(id))).toBeFalse()
})

test('a delivery that is forged while its sandbox is reset leaves the new one as it is', async () => {
  const { id, send } = await host.create({ seed: 'old' })
  const { receiver, response } = await startSlowReceiver()
  await using _ = receiver
  await send('POST', '/webhooks', { url: receiver.url, events: ['order.*'] })
  const forged = send('POST', '/_sandbox/forge', { webhookId: 1 })
  await eventually(() => receiver.received.length === 1)
  await send('POST', '/_sandbox/reset', { seed: 'new' })
  response()
  const { status, body } = await forged
  expect([status, body.code]).toEqual([409, 'sandbox_replaced'])
  expect(storedSeed(id)).toBe('new')
})

test('a sandbox stays open while it works on a slow request', async () => {
  const sandbox = await host.create()
  const rules = () => sandbox.send('GET', '/_sandbox/faults').then(({ body }) => body.rules)
  const rule = { operation: 'createCategory', fault: 'slow', latencyMs: 500, times: 1 }
  await sandbox.send('PUT', '/_sandbox/faults', { rules: [rule] })
  const created = sandbox.send('POST', '/categories', { name: 'Owls' })
  await eventually(async () => (await rules())[0].times === 0)
  host.clock.advance(61_000)
  await host.sweep()
  expect((await created).status).toBe(201)
})

test('a sandbox stays open while its clock moves', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  const { receiver, response } = await startSlowReceiver()
  await using _ = receiver
  await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.*'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  const start = host.clock.now()
  const moved = sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 3_600 })
  await eventually(() => receiver.received.length === 1)
  host.clock.advance(61_000)
  await host.sweep()
  expect(existsSync(join(folderOf(sandbox.id), 'shop.db-pid'))).toBeTrue()
  response()
  expect((await moved).body.at).toBe(new Date(start + 3_600_000).toISOString())
})

test('a sandbox that is closed while its clock moves goes on where its data is', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  const { promise: mayRespond, resolve: response } = Promise.withResolvers<void>()
  await using receiver = await startAnyReceiver(async (_, answer) => {
    if (receiver.received.length > 1) await mayRespond
    answer.writeHead(500).end()
  })
  await sandbox.send('POST', '/webhooks', { url: receiver.url, events: ['category.*'] })
  await sandbox.send('POST', '/categories', { name: 'Owls' })
  const at = async () => Date.parse((await sandbox.send('GET', '/_sandbox/clock')).body.at)
  const start = await at()
  const moving = sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: 86_400 })
  await eventually(() => receiver.received.length === 2)
  const reached = await at()
  expect(reached).toBeGreaterThan(start)
  const saved = sandbox.send('POST', '/_sandbox/snapshots', {})
  response()
  expect((await saved).status).toBe(201)
  await moving
  expect(await at()).toBeGreaterThanOrEqual(reached)
})

test('a clock that is advanced twice at the same time moves by both', async () => {
  const sandbox = await host.create({ clock: { frozen: true } })
  const tenDays = 10 * 86_400
  const advance = () => sandbox.send('PUT', '/_sandbox/clock', { advanceSeconds: tenDays })
  const times = (await Promise.all([advance(), advance()])).map(({ body }) => Date.parse(body.at) - host.clock.now())
  expect(times).toEqual([tenDays * 1000, 2 * tenDays * 1000])
})

test('a host that is stopping says so, and opens nothing', async () => {
  const other = await startTestHost()
  const { receiver, response } = await startSlowReceiver()
  await using _ = receiver
  await other.ready.send('POST', '/webhooks', { url: receiver.url, events: ['category.*'] })
  await other.ready.send('POST', '/categories', { name: 'Owls' })
  await eventually(() => receiver.received.length === 1)
  const stopped = other.stop()
  const paths = ['/pets', '/_sandbox/clock']
  const responses = await Promise.all(paths.map((path) => other.ready.send('GET', path)))
  expect(responses.map(({ status, body }) => [status, body.code])).toEqual(paths.map(() => [503, 'unavailable']))
  response()
  await stopped
})
