import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookError } from '../src/index.ts'

// Signed by the library that the standard offers.

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const body = '{"type":"order.placed","data":{"name":"Zoë"}}'
const at = Date.UTC(2026, 10, 15, 12)
const now = () => at

function signed(secret: string, time = at): Record<string, string> {
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(time / 1000),
    'webhook-signature': new Webhook(secret).sign('msg_1', new Date(time), body),
  }
}

const failure = (check: Promise<unknown>) =>
  check.then(
    () => undefined,
    (error) => error,
  )

test('a message with its signature is what it says, as text or bytes, with headers of any kind', async () => {
  const secret = newSecret()
  const headers = signed(secret)
  const said = JSON.parse(body)
  expect(await verifyWebhook(body, headers, secret, { now })).toEqual(said)
  expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret, { now })).toEqual(said)
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyWebhook(body, capitals, secret, { now })).toEqual(said)
})

test('one of several signatures, made with one of several secrets, is enough', async () => {
  const [old, fresh] = [newSecret(), newSecret()]
  const both = {
    ...signed(old),
    'webhook-signature': `v1a,AAAA ${signed(old)['webhook-signature']} ${signed(fresh)['webhook-signature']}`,
  }
  expect(await verifyWebhook(body, both, fresh, { now })).toEqual(JSON.parse(body))
  expect(await verifyWebhook(body, signed(fresh), [old, fresh], { now })).toEqual(JSON.parse(body))
})

test.each([
  ['a changed body', { body: body.replace('placed', 'shipped') }],
  ['another secret', { secret: newSecret() }],
  ['another id', { headers: { 'webhook-id': 'msg_2' } }],
  ['another time', { headers: { 'webhook-timestamp': String(at / 1000 + 1) } }],
  ['a signature of another kind', { headers: { 'webhook-signature': 'v2,AAAA' } }],
  ['a signature that is no base64', { headers: { 'webhook-signature': 'v1,%%%' } }],
  ['a time that is none', { headers: { 'webhook-timestamp': 'noon' } }],
  ['no signature', { headers: { 'webhook-signature': undefined } }],
])(
  '%s is refused',
  async (_, changed: { body?: string; secret?: string; headers?: Record<string, string | undefined> }) => {
    const secret = newSecret()
    const headers = { ...signed(secret), ...changed.headers }
    const error = await failure(verifyWebhook(changed.body ?? body, headers, changed.secret ?? secret, { now }))
    expect(error).toBeInstanceOf(WebhookError)
  },
)

test('a message is believed for five minutes, and as early as five minutes by a clock that is ahead', async () => {
  const secret = newSecret()
  const after = (ms: number) => failure(verifyWebhook(body, signed(secret), secret, { now: () => at + ms }))
  expect(await after(300_000)).toBeUndefined()
  expect(await after(-300_000)).toBeUndefined()
  expect(await after(301_000)).toBeInstanceOf(WebhookError)
  expect(await after(-301_000)).toBeInstanceOf(WebhookError)
})

test('a secret that is none is a mistake of the caller, not of the message', async () => {
  expect(await failure(verifyWebhook(body, signed(newSecret()), 'whsec_%', { now }))).toBeInstanceOf(TypeError)
})
