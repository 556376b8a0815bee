import { afterAll, beforeAll, expect, test } from 'bun:test'
import { hkdfSync } from 'node:crypto'
import { sealingKeyOf } from '../../src/access/sealing-key.ts'
import { unseal } from '../../src/api/seal.ts'
import type { KnownKey } from '../../src/keys/directory.ts'
import { type Answer, type Client, type Service, startService } from '../harness/service.ts'

// An answer that holds a secret may be lost. Its replay gives the secret again, and the database alone does not.

let service: Service
let admin: Client
beforeAll(async () => {
  service = await startService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
  admin = await service.newClient({ preset: 'admin' })
})
afterAll(() => service.stop())

const newKey = { name: 'Lost', plan: 'free', preset: 'client' }
const newWebhook = { url: 'http://127.0.0.1:9999/', events: ['*'] }

const operations: Record<string, () => Promise<[path: string, body: object]>> = {
  createKey: async () => ['/keys', newKey],
  rotateKey: async () => [`/keys/${(await admin.post('/keys', newKey)).body.id}/rotate`, { graceSeconds: 60 }],
  createWebhook: async () => ['/webhooks', newWebhook],
  rotateWebhookSecret: async () => [
    `/webhooks/${(await admin.post('/webhooks', newWebhook)).body.id}/rotate-secret`,
    {},
  ],
}

test.each(Object.entries(operations))(
  'a replay of %s gives the secret again, after a restart too',
  async (_, prepare) => {
    const [path, body] = await prepare()
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    const first = await admin.post(path, body, headers)
    expect(first.body.secret).toMatch(/^(ps_|whsec_)/)
    const again = await admin.post(path, body, headers)
    await service.restart()
    const later = await admin.post(path, body, headers)
    for (const replay of [again, later]) {
      expect(replay.headers.get('idempotent-replayed')).toBe('true')
      expect([replay.status, replay.text, replay.headers.get('etag')]).toEqual([
        first.status,
        first.text,
        first.headers.get('etag'),
      ])
    }
  },
)

interface Stored {
  key_id: number
  idempotency_key: string
  fingerprint: string
  body: string
}

/** Every value in the tables that have to do with keys and answers, as text. */
async function everythingStored(): Promise<string[]> {
  const tables = ['idempotent_answers', 'api_keys', 'api_key_secrets', 'settings', 'events']
  const rows = await Promise.all(tables.map((table) => service.context.db.query<object>(`SELECT * FROM ${table}`)))
  return rows.flat().flatMap((row) => Object.values(row).map(String))
}

test('the database alone does not open the secret of a new key, and has neither of what the seal is made from', async () => {
  const idempotencyKey = `order ${crypto.randomUUID()}`
  const { body } = await admin.post('/keys', newKey, { 'Idempotency-Key': idempotencyKey })
  const values = await everythingStored()
  for (const hidden of [body.secret, admin.secret as string, idempotencyKey]) {
    expect(values.filter((value) => value.includes(hidden))).toEqual([])
  }
  const rows = await service.context.db.query<Stored>('SELECT * FROM idempotent_answers')
  const stored = rows.find((row) => JSON.parse(row.body).id === body.id) as Stored
  const { secret: sealed } = JSON.parse(stored.body)
  const open = (ikm: string, salt: string) => {
    const made = hkdfSync('sha256', ikm, salt, 'petstore secret in a stored answer', 32)
    return unseal(new Uint8Array(made), sealed, stored.fingerprint)
  }
  // What a thief of the database has, each value in each place; the Idempotency-Key might even be guessed.
  const short = [...new Set(values)].filter((value) => value.length <= 64)
  const salts = [
    stored.idempotency_key,
    stored.idempotency_key.replace('sha256:', ''),
    stored.fingerprint,
    idempotencyKey,
  ]
  for (const salt of salts) for (const value of short) expect(open(value, salt)).toBeUndefined()
  expect(open(admin.secret as string, stored.idempotency_key)).toBeUndefined()
  // With both it opens, so the attempts above were of the right kind.
  expect(open(admin.secret as string, idempotencyKey)).toBe(body.secret)
  const key = sealingKeyOf({ secret: admin.secret } as KnownKey, idempotencyKey)
  expect(unseal(key, sealed, 'another request')).toBeUndefined()
})

const outcome = ({ status, body }: Answer) => [status, body.code ?? 'done']

test('a key that lost its own new secret gets it by its old one; another secret of the key does not open it', async () => {
  const self = await service.newClient({ preset: 'admin' })
  const headers = { 'Idempotency-Key': 'rotate myself' }
  const path = `/keys/${self.keyId}/rotate`
  const first = await self.post(path, {}, headers)
  expect((await self.post(path, {}, headers)).body.secret).toBe(first.body.secret)
  const renewed = service.as(first.body.secret)
  expect(outcome(await renewed.post(path, {}, headers))).toEqual([422, 'idempotency_key_reused'])
  expect(outcome(await renewed.get('/limits'))).toEqual([200, 'done'])
})

test('one Idempotency-Key is not for two requests, whether one of them gives a secret or not', async () => {
  const requests: [path: string, body: object][] = [
    ['/keys', newKey],
    ['/categories', { name: 'Dogs' }],
  ]
  for (const [one, other] of [requests, requests.toReversed()]) {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    expect((await admin.post(one?.[0] ?? '', one?.[1], headers)).status).toBe(201)
    expect(outcome(await admin.post(other?.[0] ?? '', other?.[1], headers))).toEqual([422, 'idempotency_key_reused'])
  }
})

test('an answer that was stored without its secret is not given without it', async () => {
  const headers = { 'Idempotency-Key': 'from the release before' }
  const { body } = await admin.post('/keys', newKey, headers)
  const { secret: _, ...rest } = body
  const rows = await service.context.db.query<Stored>('SELECT * FROM idempotent_answers')
  const stored = rows.find((row) => JSON.parse(row.body).id === body.id) as Stored
  await service.context.db.transaction((tx) =>
    tx.query(
      'UPDATE idempotent_answers SET idempotency_key = $1, body = $2 WHERE key_id = $3 AND idempotency_key = $4',
      [headers['Idempotency-Key'], JSON.stringify(rest), stored.key_id, stored.idempotency_key],
    ),
  )
  expect(outcome(await admin.post('/keys', newKey, headers))).toEqual([422, 'idempotency_key_reused'])
})
