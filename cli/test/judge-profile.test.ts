import { afterAll, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../server/test/harness/run/run-service.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { draftProfile } from '../src/judge/draft-profile.ts'
import { createNaming } from '../src/judge/name-requests.ts'
import { presets } from '../src/judge/presets.ts'
import { readProfile } from '../src/judge/profile-file.ts'
import { headersOf } from '../src/judge/record.ts'
import { petstore } from './harness/petstore.ts'

// What petstore judge is told about an API: profiles, names of operations, and the first draft of a profile.

const scratch = newDirectory()
afterAll(() => scratch.remove())

function read(text: string) {
  const file = join(scratch.path, 'profile.yaml')
  writeFileSync(file, text)
  return readProfile(file)
}

test.each(Object.keys(presets))('the recording keeps every header by which %s is judged', (name) => {
  const profile = readProfile(name)
  const read = Object.values(profile.rules).flatMap((part) =>
    Object.entries(part ?? {}).flatMap(([field, value]) => (/^header$|Header$/.test(field) ? [value] : [])),
  )
  expect(headersOf(profile)).toEqual(expect.arrayContaining(read))
})

test('every fault of a profile is named at once', () => {
  const wrong = `
limits: { statuses: [4290], scope: everyone }
repeats: { headers: idempotency-key }
operations: [{ name: order, path: '(' }, { path: / }]
sends: { unavailable: { status: 200 } }
credentials: { inAddress: [key=] }
slowSeconds: 0
`
  const expected = [
    'limits.statuses.0: ',
    'limits.scope: ',
    'repeats: Unrecognized key: "headers"',
    'repeats: needs header or field, or token: none',
    'operations.0.path: is not a regular expression',
    'operations.1.name: ',
    'sends.unavailable.status: ',
    'credentials: inAddress and sendIn belong together',
    'slowSeconds: ',
  ]
  expect(() => read(wrong)).toThrow()
  try {
    read(wrong)
  } catch (error) {
    for (const line of expected) expect((error as Error).message).toContain(`\n  ${line}`)
    expect((error as Error).message.split('\n').length).toBe(expected.length + 1)
  }
  expect(() => read('limits: [')).toThrow('is not valid YAML')
})

test.each([
  ['no limits', '', 'there is no entry limits'],
  ['another status', 'limits: { statuses: [503], scope: client }', 'neither its status'],
  ['another code', 'errors: { codeField: code }\nlimits: { codes: [too_many], scope: client }', 'neither its status'],
])('what is sent as a limit must be one by the profile: %s', (_, entries, message) => {
  const sends = `sends: { limited: { status: 429, body: '{"code":"slow_down"}' } }\n`
  expect(() => read(sends + entries)).toThrow(message)
  expect(() => read(`${sends}errors: { codeField: code }\nlimits: { codes: [slow_down], scope: client }`)).not.toThrow()
})

test('every preset is valid, and has at most 30 lines', () => {
  for (const [name, text] of Object.entries(presets)) {
    expect([name, text.trimEnd().split('\n').length <= 30]).toEqual([name, true])
    expect(Object.keys(readProfile(name).rules).length).toBeGreaterThan(0)
  }
})

test('a request has the name of the first pattern that matches, else of the description, else of its path', () => {
  const nameRequest = createNaming(
    [
      { name: 'adding $1', header: 'x-target', value: '\\.(\\w+)$', body: 'ADD' },
      { name: '$1', header: 'x-target', value: '\\.(\\w+)$' },
      { name: 'start upload', method: 'PUT', path: '^/files/', query: '(^|&)uploads\\b' },
      { name: 'upload', method: 'PUT', path: '^/files/' },
    ],
    {
      servers: [{ url: 'https://api.example.com/v2' }],
      paths: {
        '/pets/{id}': { get: { operationId: 'getPet' }, delete: {} },
        '/pets/counts': { get: { operationId: 'countPets' } },
      },
    },
  )
  const name = (method: string, path: string, headers = {}, body = '', query = '') =>
    nameRequest({ method, path, query, headers, body })
  expect(name('POST', '/', { 'x-target': 'Db.Update' }, 'ADD 1')).toBe('adding Update')
  expect(name('POST', '/', { 'x-target': 'Db.Update' }, 'SET 1')).toBe('Update')
  expect([name('PUT', '/files/a'), name('GET', '/files/a')]).toEqual(['upload', 'GET /files/a'])
  expect(name('PUT', '/files/a', {}, '', 'x=1&uploads')).toBe('start upload')
  expect([name('GET', '/v2/pets/7'), name('GET', '/v2/pets/counts')]).toEqual(['getPet', 'countPets'])
  expect([name('DELETE', '/v2/pets/7'), name('GET', '/pets/7')]).toEqual(['DELETE /pets/{id}', 'GET /pets/{id}'])
  const id = '0b8f3c1e-2f6d-4f0e-9a55-6a1d0d1f2c3b'
  expect(name('GET', `/users/${id}/orders/ord_12345678`)).toBe('GET /users/{id}/orders/{id}')
})

test('a draft from our own description is a valid profile, and says what the description does not', async () => {
  const { code, output } = await petstore(['judge', 'profile', '--openapi', join(root, 'openapi.json')])
  expect(code).toBe(0)
  const { rules, credentials, sends } = read(output)
  expect(rules.repeats?.header).toBe('idempotency-key')
  expect(rules.repeats?.operations).toContain('placeOrder')
  expect(rules.conditions?.operations).toContain('updatePet')
  expect([rules.pages?.cursor, rules.deprecation?.header]).toEqual(['cursor', 'deprecation'])
  expect(credentials.headers).toContain('x-api-key')
  expect([sends.limited?.status, sends.unavailable?.status]).toEqual([429, 503])
  expect(output).toContain('# limits.scope: does a 429 stop the whole client')
  expect(output).toContain('# sends: for how long does Retry-After ask to wait?')
  expect((await petstore(['judge', 'profile'])).code).toBe(2)
})

test('a draft of a description that says nothing has a comment for everything, and is a valid profile', () => {
  const text = draftProfile({ paths: { '/orders': { post: { responses: { 201: { description: 'made' } } } } } })
  for (const entry of ['credentials', 'limits', 'repeats', 'conditions', 'pages', 'sends.limited', 'sends.unavailable'])
    expect(text).toContain(`# ${entry}`)
  expect(read(text).rules).toEqual({})
})

test('references that lead nowhere, or to themselves, are as if nothing were there', () => {
  const [nowhere, itself] = [{ $ref: '#/nothing/here' }, { $ref: '#/components/parameters/self' }]
  const description = {
    components: { parameters: { self: itself }, securitySchemes: { key: nowhere } },
    paths: { '/orders': { post: { parameters: [nowhere, itself], responses: { 201: nowhere, 429: itself } } } },
  }
  expect(draftProfile(description)).toContain('# repeats: no operation declares a token')
})
