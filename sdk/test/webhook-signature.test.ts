import { expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook, WebhookError } from '../src/index.ts'

// Signed by the standard's own library.

const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`
const body = '{"type":"order.placed","data":{"name":"Zoë"}}'
const at = Date.UTC(2026, 10, 15, 12)
const now = () => at

function sign(secret: string, time = at): Record<string, string> {
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

test('a signed message is verified as text or bytes, with headers of any kind', async () => {
  const secret = newSecret()
  const headers = sign(secret)
  const content = JSON.parse(body)
  expect(await verifyWebhook(body, headers, secret, { now })).toEqual(content)
  expect(await verifyWebhook(new TextEncoder().encode(body), new Headers(headers), secret, { now })).toEqual(content)
  const capitals = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
  expect(await verifyWebhook(body, capitals, secret, { now })).toEqual(content)
  const lists = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]))
  expect(await verifyWebhook(body, lists, secret, { now })).toEqual(content)
})

test('one of several signatures, made with one of several secrets, is enough', async () => {
  const [old, fresh] = [newSecret(), newSecret()]
  const both = {
    ...sign(old),
    'webhook-signature': `v1a,AAAA ${sign(old)['webhook-signature']} ${sign(fresh)['webhook-signature']}`,
  }
  expect(await verifyWebhook(body, both, fresh, { now })).toEqual(JSON.parse(body))
  expect(await verifyWebhook(body, sign(fresh), [old, fresh], { now })).toEqual(JSON.parse(body))
})

test.each([
  ['a changed body', { body: body.replace('placed', 'shipped') }],
  ['another secret', { secret: newSecret() }],
  ['another id', { headers: { 'webhook-id': 'msg_2' } }],
  ['another time', { headers: { 'webhook-timestamp': String(at / 1000 + 1) } }],
  ['a signature of another version', { headers: { 'webhook-signature': 'v2,AAAA' } }],
  ['a signature that is not base64', { headers: { 'webhook-signature': 'v1,%%%' } }],
  ['a malformed time', { headers: { 'webhook-timestamp': 'noon' } }],
  ['no signature', { headers: { 'webhook-signature': undefined } }],
  ['an id that was sent twice', { headers: { 'webhook-id': ['msg_1', 'msg_1'] } }],
])(
  '%s is rejected',
  async (_, changed: { body?: string; secret?: string; headers?: Record<string, string | string[] | undefined> }) => {
    const secret = newSecret()
    const headers = { ...sign(secret), ...changed.headers }
    const error = await failure(verifyWebhook(changed.body ?? body, headers, changed.secret ?? secret, { now }))
    expect(error).toBeInstanceOf(WebhookError)
  },
)

test('a message is valid for five minutes, and five minutes early if the clock is ahead', async () => {
  const secret = newSecret()
  const after = (ms: number) => failure(verifyWebhook(body, sign(secret), secret, { now: () => at + ms }))
  expect(await after(300_000)).toBeUndefined()
  expect(await after(-300_000)).toBeUndefined()
  expect(await after(301_000)).toBeInstanceOf(WebhookError)
  expect(await after(-301_000)).toBeInstanceOf(WebhookError)
})

test('a malformed secret is an error of the caller, not of the message', async () => {
  expect(await failure(verifyWebhook(body, sign(newSecret()), 'whsec_%', { now }))).toBeInstanceOf(TypeError)
})
