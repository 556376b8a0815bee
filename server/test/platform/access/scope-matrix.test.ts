import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { petShop } from '../../../src/shop/index.ts'
import type { DescribedOperation } from '../../contract/checker.ts'
import { getBanned } from '../../harness/flood.ts'
import { type Service, startService } from '../../harness/service.ts'

// Every operation of the description, called with every kind of key. The expected result follows from `x-required-scope`
// and the documented presets.

const reader = ['pets:read', 'inventory:read']
const client = [...reader, 'orders:read', 'orders:write', 'webhooks:manage']
const staff = [...client, 'pets:write', 'inventory:write', 'orders:all']
const presets: Record<string, string[]> = { reader, client, staff, admin: [...staff, 'keys:manage'] }

let service: Service
const secrets: Record<string, string | undefined> = {}
let calls = 0

beforeAll(async () => {
  // Each call comes from another address, so that the limits of unauthenticated callers do not matter.
  service = await startService({ env: { TRUSTED_PROXIES: '127.0.0.1' } })
  const expiresAt = new Date(service.clock.now() + 1_000).toISOString()
  secrets.expired = (await service.newClient({ preset: 'admin', expiresAt })).secret
  service.clock.advance(1_000)
  const revoked = await service.newClient({ preset: 'admin' })
  await service.admin.delete(`/keys/${revoked.keyId}`)
  secrets.revoked = revoked.secret
  secrets.wrong = newSecret()
  const banned = await service.newClient({ plan: 'free', preset: 'admin' })
  await getBanned(service, banned)
  secrets.banned = banned.secret
  for (const preset of Object.keys(presets)) secrets[preset] = (await service.newClient({ preset })).secret
})
afterAll(() => service.stop())

/** An id that no resource has, so that every allowed call returns 404. */
const unusedId = '9007199254740991'

async function call({ method, path, exampleBody: example }: DescribedOperation, secret: string | undefined) {
  const target = path.replace(/\{\w+\}/g, unusedId)
  const response = await fetch(service.url + target, {
    method,
    headers: {
      'X-Forwarded-For': `203.0.${calls >> 8}.${calls++ & 255}`,
      ...(secret !== undefined && { 'X-API-Key': secret }),
      ...(example && { 'Content-Type': 'application/json' }),
    },
    ...(example && { body: JSON.stringify(example) }),
  })
  // An event stream never ends.
  const isJson = response.headers.get('content-type')?.includes('json')
  const body = isJson ? await response.json() : void (await response.body?.cancel())
  service.contract.check(method, target, response, body)
  return { status: response.status, code: (body as { code?: string } | undefined)?.code }
}

const allOperations = (): DescribedOperation[] => service.contract.operations()
const isAboutOne = ({ path }: DescribedOperation) => path.includes('{')
const costsNothing = ({ id }: DescribedOperation) => id === 'getLimits'

/** Expects the response to an allowed call: success, or an error that the operation declares for an id that does not exist. */
function expectServed(operation: DescribedOperation, { status, code }: { status: number; code?: string | undefined }) {
  const { id, method } = operation
  const declared = (petShop.operations.find((one) => one.id === id)?.errors ?? []).map((kind) => kind.code)
  if (isAboutOne(operation)) {
    expect([id, status]).toEqual([id, 404])
    expect(declared.filter((one) => one.endsWith('_not_found'))).toContain(code ?? '')
  } else if (status >= 400) {
    // The example body refers to ids that do not exist here.
    expect(declared.filter((one) => one.startsWith('unknown_'))).toContain(code ?? '')
  } else {
    expect([id, status]).toEqual([id, method === 'POST' ? 201 : 200])
  }
}

test('every operation requires a scope, except those about usage and events', () => {
  const known = presets.admin ?? []
  for (const { id, spec } of allOperations()) {
    const scope = spec['x-required-scope']
    if (scope === undefined) expect([id, ['Usage', 'Events'].includes(spec.tags[0])]).toEqual([id, true])
    else expect(known).toContain(scope)
  }
})

for (const [kind, expected] of [
  ['none', { status: 401, code: 'missing_api_key' }],
  ['wrong', { status: 401, code: 'invalid_api_key' }],
  ['expired', { status: 401, code: 'invalid_api_key' }],
  ['revoked', { status: 401, code: 'invalid_api_key' }],
  ['banned', { status: 429, code: 'key_banned' }],
] as const) {
  test(`every operation, key: ${kind}`, async () => {
    for (const operation of allOperations()) {
      const response = await call(operation, secrets[kind])
      if (kind === 'banned' && costsNothing(operation)) expectServed(operation, response)
      else expect({ id: operation.id, ...response }).toEqual({ id: operation.id, ...expected })
    }
  })
}

for (const [preset, scopes] of Object.entries(presets)) {
  test(`every operation, preset: ${preset}`, async () => {
    for (const operation of allOperations()) {
      const required = operation.spec['x-required-scope']
      const response = await call(operation, secrets[preset])
      if (required === undefined || scopes.includes(required)) expectServed(operation, response)
      else
        expect({ id: operation.id, ...response }).toEqual({ id: operation.id, status: 403, code: 'insufficient_scope' })
    }
  })
}

test('a key with one scope may call exactly the operations of that scope', async () => {
  for (const scope of presets.admin ?? []) {
    const { secret } = await service.newClient({ scopes: [scope] })
    for (const operation of allOperations()) {
      const { 'x-required-scope': required, 'x-alternative-scope': alternative } = operation.spec
      const { code } = await call(operation, secret)
      const isRejected = code === 'insufficient_scope'
      const isAllowed = [undefined, scope].includes(required) || alternative === scope
      expect([scope, operation.id, isRejected]).toEqual([scope, operation.id, !isAllowed])
    }
  }
})
