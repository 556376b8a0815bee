import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestDatabase } from '../../harness/database.ts'
import { startService } from '../../harness/service.ts'

// In most locales PostgreSQL also changes the case of letters other than A to Z.
const database = await createTestDatabase({ locale: 'C.UTF-8' })
const service = await startService({ env: { DATABASE_URL: database.url } })
afterAll(async () => {
  await service.stop()
  await database.remove()
})

beforeAll(async () => {
  for (const name of ['Änderung', 'ÉCOLE app', 'plain APP']) await service.newClient({ name })
})

test.each([
  ['Änd', ['Änderung']],
  ['änd', []],
  ['école', []],
  ['École', ['ÉCOLE app']],
  ['aPp', ['ÉCOLE app', 'plain APP']],
])('a search for %p finds the keys with this text in their name, ignoring the case of A to Z', async (q, found) => {
  const { body } = await service.admin.get(`/keys?q=${encodeURIComponent(q)}`)
  expect(body.map(({ name }: { name: string }) => name)).toEqual(found)
})

test('revoked keys are in a separate list', async () => {
  const names = async (query: string) =>
    (await service.admin.get(`/keys?q=till&${query}`)).body.map(({ name }: { name: string }) => name)
  const [first, second] = [await service.newClient({ name: 'Till 1' }), await service.newClient({ name: 'Till 2' })]
  await service.newClient({ name: 'Till 3' })
  for (const { keyId } of [first, second]) await service.admin.delete(`/keys/${keyId}`)
  expect(await names('revoked=true&sort=-id')).toEqual(['Till 2', 'Till 1'])
  expect(await names('revoked=false')).toEqual(['Till 3'])
  expect(await names('')).toEqual(['Till 3'])
})
