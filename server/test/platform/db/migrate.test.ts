import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const versions = () =>
  service.context.db.query<{ version: number; name: string; applied_at: number }>(
    'SELECT version, name, applied_at FROM schema_versions ORDER BY version',
  )

test('migrations run once, in order', async () => {
  const first = await versions()
  expect(first.map(({ version }) => version)).toEqual(first.map((_, index) => index + 1))
  expect(first.map(({ name }) => name)).toEqual(['platform', 'shop'])
  await service.admin.newCategory('Kept')
  service.clock.advance(60_000)
  await service.restart()
  expect(await versions()).toEqual(first)
  expect((await service.admin.get('/categories')).body).toMatchObject([{ name: 'Kept' }])
})
