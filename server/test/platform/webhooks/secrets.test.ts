import { expect, test } from 'bun:test'
import { eventually } from '../../harness/eventually.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { call, startNodes } from '../../harness/nodes.ts'
import { type Service, testClock } from '../../harness/service.ts'
import { startReceiver, verify } from './receiver.ts'
import { type Made, newWebhook, startShop } from './shop.ts'

// With SECRETS_KEY the database alone does not reveal what signs.

const first = 'a'.repeat(32)
const second = 'b'.repeat(32)

/** What the database has of the secrets of a webhook. */
const stored = async (service: Service, { id }: Made): Promise<string> => {
  const [row] = await service.context.db.query<{ secret: string; old_secret: string | null }>(
    'SELECT secret, old_secret FROM webhooks WHERE id = $1',
    [id],
  )
  return `${row?.secret} ${row?.old_secret}`
}

test('a signing secret is stored encrypted, signs, and can be encrypted with another key', async () => {
  const service = await startShop({ clock: testClock(Date.now()), env: { SECRETS_KEY: first } })
  const client = await service.newClient()
  await using receiver = await startReceiver()
  const webhook = await newWebhook(client, receiver.url)
  const rotated = await client.post(`${webhook.path}/rotate`, { graceSeconds: 86_400 })
  const secrets = [webhook.secret, rotated.body.secret as string]
  const check = async () => {
    const { length } = receiver.received
    await client.post(`${webhook.path}/ping`)
    const received = await eventually(() => receiver.received[length])
    for (const secret of secrets) expect(verify(secret, received)).toBeObject()
    return stored(service, webhook)
  }
  const withFirst = await check()
  for (const secret of secrets) expect(withFirst).not.toContain(secret.slice(6))
  await service.restart({ SECRETS_KEY: `${second},${first}` })
  const withBoth = await check()
  expect(withBoth).not.toBe(withFirst)
  await service.restart({ SECRETS_KEY: second })
  expect(await check()).toBe(withBoth)
  await service.stop()
})

test('secrets from before SECRETS_KEY are encrypted by the next start, and none starts without the key again', async () => {
  const service = await startShop()
  const client = await service.newClient()
  const webhook = await newWebhook(client, 'http://127.0.0.1:9999/')
  expect(await stored(service, webhook)).toStartWith(webhook.secret)
  await service.restart({ SECRETS_KEY: second })
  expect(await stored(service, webhook)).toStartWith('sealed:')
  for (const SECRETS_KEY of ['', first])
    expect(String(await failureOf(service.restart({ SECRETS_KEY })))).toContain('SECRETS_KEY cannot decrypt')
  await service.stop()
})

test('a previous secret that an earlier key encrypted is encrypted with the new one', async () => {
  const service = await startShop({ env: { SECRETS_KEY: first } })
  const webhook = await newWebhook(await service.newClient(), 'http://127.0.0.1:9999/')
  const [withFirst] = (await stored(service, webhook)).split(' ')
  await service.restart({ SECRETS_KEY: `${second},${first}` })
  // As after a rotation by a node that was still running with the first key.
  await service.context.db.transaction((tx) =>
    tx.query('UPDATE webhooks SET old_secret = $2 WHERE id = $1', [webhook.id, withFirst ?? '']),
  )
  await service.restart({ SECRETS_KEY: `${second},${first}` })
  const [current = '', previous] = (await stored(service, webhook)).split(' ')
  expect(previous).not.toBe(withFirst)
  expect(previous).toStartWith(current.slice(0, 'sealed:'.length + 8))
  await service.stop()
})

test.if(process.env.TEST_ENGINE === 'postgres')(
  'while nodes get a new key one by one, those without it leave deliveries to the others',
  async () => {
    await using receiver = await startReceiver()
    const cluster = await startNodes(1, { SECRETS_KEY: first, WEBHOOK_ALLOW_PRIVATE: 'true' })
    const send = (node: number, path: string, body: object) =>
      call(cluster.nodes[node]?.url ?? '', cluster.adminSecret, 'POST', path, body)
    await send(0, '/webhooks', { url: receiver.url, events: ['category.created'] })
    await cluster.start({ SECRETS_KEY: `${second},${first}` })
    const names = Array.from({ length: 20 }, (_, index) => `Category ${index}`)
    for (const [index, name] of names.entries()) await send(index % 2, '/categories', { name })
    // A delivery that was claimed and not sent waits a minute.
    await eventually(() => new Set(receiver.received.map(({ event }) => event.data.name)).size === names.length)
    await cluster.stop()
  },
)

test('the secrets of many webhooks are encrypted by one start', async () => {
  const service = await startShop()
  await newWebhook(await service.newClient(), 'http://127.0.0.1:9999/')
  await service.context.db.transaction(async (tx) => {
    await tx.query(
      `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1100)
       INSERT INTO webhooks (key_id, url, events, active, secret, start_tx, start_id, created_at)
       SELECT key_id, url, events, 0, secret, start_tx, start_id, created_at FROM webhooks CROSS JOIN numbers`,
    )
  })
  await service.restart({ SECRETS_KEY: first })
  const counts = await service.context.db.query(
    "SELECT count(*) AS webhooks, count(CASE WHEN secret LIKE 'sealed:%' THEN 1 END) AS sealed FROM webhooks",
  )
  expect(counts).toEqual([{ webhooks: 1_101, sealed: 1_101 }])
  await service.stop()
})
