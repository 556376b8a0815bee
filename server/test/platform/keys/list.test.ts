import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestDatabase } from '../../harness/database.ts'
import { startService } from '../../harness/service.ts'

// In most locales PostgreSQL also changes the case of letters besides A to Z.
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
