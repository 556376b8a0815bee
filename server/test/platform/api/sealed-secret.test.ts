import { afterAll, expect, test } from 'bun:test'
import { hkdfSync } from 'node:crypto'
import type { KnownKey } from '../../../src/platform/keys/directory.ts'
import { sealingKeyOf } from '../../../src/platform/keys/secret.ts'
import { unseal } from '../../../src/platform/lib/seal.ts'
import { type ApiResponse, startService } from '../../harness/service.ts'

// A response with a secret may be lost. Its replay returns the secret again, but the database alone does not reveal it.

const service = await startService({ env: { WEBHOOK_ALLOW_PRIVATE: 'true' } })
const admin = await service.newClient({ preset: 'admin' })
afterAll(() => service.stop())

const newKey = { name: 'Lost', plan: 'free', preset: 'client' }
const newWebhook = { url: 'http://127.0.0.1:9999/', events: ['*'] }

const operations: Record<string, () => Promise<[path: string, body: object]>> = {
  createKey: async () => ['/keys', newKey],
  rotateKey: async () => [`/keys/${(await admin.post('/keys', newKey)).body.id}/rotate`, { graceSeconds: 60 }],
  createWebhook: async () => ['/webhooks', newWebhook],
  rotateWebhook: async () => [`/webhooks/${(await admin.post('/webhooks', newWebhook)).body.id}/rotate`, {}],
}

test.each(Object.entries(operations))(
  'a replay of %s returns the secret again, even after a restart',
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

/** Reads every value in the tables of keys and responds, as text. */
async function readStoredValues(): Promise<string[]> {
  const tables = ['idempotent_responses', 'api_keys', 'api_key_secrets', 'settings', 'events']
  const rows = await Promise.all(tables.map((table) => service.context.db.query<object>(`SELECT * FROM ${table}`)))
  return rows.flat().flatMap((row) => Object.values(row).map(String))
}

test('the database alone does not reveal the secret of a new key, nor what its encryption key is derived from', async () => {
  const idempotencyKey = `order ${crypto.randomUUID()}`
  const { body } = await admin.post('/keys', newKey, { 'Idempotency-Key': idempotencyKey })
  const values = await readStoredValues()
  for (const hidden of [body.secret, admin.secret as string, idempotencyKey]) {
    expect(values.filter((value) => value.includes(hidden))).toEqual([])
  }
  const rows = await service.context.db.query<Stored>('SELECT * FROM idempotent_responses')
  const stored = rows.find((row) => JSON.parse(row.body).id === body.id) as Stored
  const { secret: sealed } = JSON.parse(stored.body)
  const decrypt = (ikm: string, salt: string) => {
    const key = hkdfSync('sha256', ikm, salt, 'petstore secret in a stored response', 32)
    return unseal(new Uint8Array(key), sealed, stored.fingerprint)
  }
  // Everything that someone with the database could try; the Idempotency-Key might even be guessed.
  const short = [...new Set(values)].filter((value) => value.length <= 64)
  const salts = [
    stored.idempotency_key,
    stored.idempotency_key.replace('sha256:', ''),
    stored.fingerprint,
    idempotencyKey,
  ]
  for (const salt of salts) for (const value of short) expect(decrypt(value, salt)).toBeUndefined()
  expect(decrypt(admin.secret as string, stored.idempotency_key)).toBeUndefined()
  // With both it works, so the tries above were of the right kind.
  expect(decrypt(admin.secret as string, idempotencyKey)).toBe(body.secret)
  const key = sealingKeyOf({ secret: admin.secret } as KnownKey, idempotencyKey)
  expect(unseal(key, sealed, 'another request')).toBeUndefined()
})

const resultOf = ({ status, body }: ApiResponse) => [status, body.code ?? 'done']

test('a key that lost its new secret gets it with the old one; another secret of the key does not decrypt it', async () => {
  const self = await service.newClient({ preset: 'admin' })
  const headers = { 'Idempotency-Key': 'rotate myself' }
  const path = `/keys/${self.keyId}/rotate`
  const first = await self.post(path, {}, headers)
  expect((await self.post(path, {}, headers)).body.secret).toBe(first.body.secret)
  const renewed = service.as(first.body.secret)
  expect(resultOf(await renewed.post(path, {}, headers))).toEqual([422, 'idempotency_key_reused'])
  expect(resultOf(await renewed.get('/limits'))).toEqual([200, 'done'])
})

test('an Idempotency-Key is not valid for two requests, whether one of them returns a secret or not', async () => {
  const requests: [path: string, body: object][] = [
    ['/keys', newKey],
    ['/categories', { name: 'Dogs' }],
  ]
  for (const [one, other] of [requests, requests.toReversed()]) {
    const headers = { 'Idempotency-Key': crypto.randomUUID() }
    expect((await admin.post(one?.[0] ?? '', one?.[1], headers)).status).toBe(201)
    expect(resultOf(await admin.post(other?.[0] ?? '', other?.[1], headers))).toEqual([422, 'idempotency_key_reused'])
  }
})

test('a response that was stored without its secret is not replayed without it', async () => {
  const headers = { 'Idempotency-Key': 'stored without a secret' }
  const { body } = await admin.post('/keys', newKey, headers)
  const { secret: _, ...rest } = body
  const rows = await service.context.db.query<Stored>('SELECT * FROM idempotent_responses')
  const stored = rows.find((row) => JSON.parse(row.body).id === body.id) as Stored
  await service.context.db.transaction((tx) =>
    tx.query(
      'UPDATE idempotent_responses SET idempotency_key = $1, body = $2 WHERE key_id = $3 AND idempotency_key = $4',
      [headers['Idempotency-Key'], JSON.stringify(rest), stored.key_id, stored.idempotency_key],
    ),
  )
  expect(resultOf(await admin.post('/keys', newKey, headers))).toEqual([422, 'idempotency_key_reused'])
})
