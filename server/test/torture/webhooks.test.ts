import { expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { hourMs } from '../../src/platform/lib/time.ts'
import { createTestDatabase } from '../harness/database.ts'
import { eventually } from '../harness/eventually.ts'
import { leapingClock } from '../harness/leaping-clock.ts'
import { call } from '../harness/nodes.ts'
import { type RunningService, runService } from '../harness/run/run-service.ts'
import { programFile } from '../harness/run/test-programs.ts'
import { newDirectory } from '../harness/scratch.ts'
import { seeded } from '../harness/seeded.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'

// Receivers fail, and the node is killed during deliveries: every event must arrive at least once.

const [pets, kills] = process.env.TORTURE ? [5_000, 5] : [200, 3]
const failingPercent = 30
const failuresMax = 5
const seed = Number(process.env.WEBHOOKS_SEED ?? randomInt(2 ** 32))

test('every event is delivered, though receivers fail and the node is killed', async () => {
  process.stdout.write(`webhooks: WEBHOOKS_SEED=${seed}\n`)
  const random = seeded(seed)
  using home = newDirectory()
  const database = await createTestDatabase()
  const clock = leapingClock(join(home.path, 'leap'))
  const key = newSecret()
  const env = {
    DATABASE_URL: database.url,
    ADMIN_API_KEY: key,
    SAMPLE_DATA: 'false',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    LEAP_FILE: clock.file,
  }
  const startNode = async (): Promise<RunningService> => {
    const running = runService({ env, file: programFile('leapingNode') })
    await running.ready
    return running
  }
  let node = await startNode()
  const send = (method: string, path: string, body?: unknown) => call(node.url, key, method, path, body)

  // No event fails so often that its delivery would be given up.
  const failures = new Map<unknown, number>()
  await using receiver = await startReceiver(({ headers }, response) => {
    const before = failures.get(headers['webhook-id']) ?? 0
    const fails = before < failuresMax && random(100) < failingPercent
    if (fails) failures.set(headers['webhook-id'], before + 1)
    response.writeHead(fails ? 500 : 204).end()
  })
  const secrets = new Map<string, string>()
  const hooks: { path: string; type: string }[] = []
  for (const type of ['pet.created', 'inventory.changed']) {
    const { body } = await send('POST', '/webhooks', { url: `${receiver.url}/${type}`, events: [type] })
    secrets.set(`/${type}`, body.secret)
    hooks.push({ path: `/webhooks/${body.id}`, type })
  }

  const { body: category } = await send('POST', '/categories', { name: 'Dogs' })
  const acknowledged = new Set<number>()
  const batch = Array.from({ length: 50 }, () => ({ name: 'Rex', categoryId: category.id }))
  while (acknowledged.size < pets) {
    const { status, body } = await send('POST', '/pets/batch', batch)
    expect(status).toBe(201)
    for (const { id } of body) acknowledged.add(id)
  }

  const receivedOf = (type: string) => receiver.received.filter(({ path }) => path === `/${type}`)
  for (let kill = 1; kill <= kills; kill++) {
    const target = Math.floor((kill * pets) / (kills + 1))
    await eventually(() => receiver.received.length >= target)
    await node.kill('SIGKILL')
    node = await startNode()
  }

  // The clock leaps to the next attempt, by an hour or more, but only while nothing is due: a busy node must not conclude that its
  // receivers have failed for days.
  const dueTimes = async () => {
    const pending = hooks.map(({ path }) => deliveriesOf(send, `${path}/deliveries?state=pending&limit=100`))
    return (await Promise.all(pending)).flat().map(({ nextAttemptAt }) => Date.parse(nextAttemptAt))
  }
  await eventually(async () => {
    const due = await dueTimes()
    const aheadMs = Math.min(...due) - (Date.now() + clock.leapt())
    if (due.length > 0 && aheadMs > 0) clock.leap(Math.max(aheadMs, hourMs))
    return due.length === 0
  }, dueTimes)

  for (const { path, type } of hooks) {
    const ids = new Set(receivedOf(type).map(({ event }) => event.data.id ?? event.data.petId))
    expect([...acknowledged].filter((id) => !ids.has(id))).toEqual([])
    // Every delivery is recorded with its attempts, and the last attempt of each succeeded.
    const states = new Map((await deliveriesOf(send, `${path}/deliveries?limit=100`)).map(stateOf))
    expect(states.size).toBeGreaterThanOrEqual(acknowledged.size)
    for (const { headers } of receivedOf(type)) expect(states.get(String(headers['webhook-id']))).toBe('delivered 2xx')
  }
  for (const { path, headers, body } of receiver.received) {
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    const signer = new Webhook(secrets.get(path) as string)
    expect(headers['webhook-signature']).toBe(signer.sign(String(headers['webhook-id']), at, body))
  }
  const { length } = receiver.received
  process.stdout.write(
    `${length} attempts for ${2 * acknowledged.size} events, ${kills} kills, ${Math.round(clock.leapt() / hourMs)} hours
`,
  )
  await node.kill('SIGKILL')
  await database.remove()
}, 600_000)

// biome-ignore lint/suspicious/noExplicitAny: a delivery as the service returns it
type Delivery = any

async function deliveriesOf(send: (method: string, path: string) => ReturnType<typeof call>, list: string) {
  const deliveries: Delivery[] = []
  let next: string | undefined = list
  while (next !== undefined) {
    const { body, headers } = await send('GET', next)
    deliveries.push(...body)
    const link = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    next = link && new URL(link).pathname + new URL(link).search
  }
  return deliveries
}

/** The result of a delivery, with the id of its event. */
function stateOf({ eventId, state, attempts }: Delivery): [eventId: string, state: string] {
  const { status } = attempts.at(-1) ?? {}
  return [eventId, `${state} ${status >= 200 && status < 300 ? '2xx' : status}`]
}
