import { afterAll, expect, test } from 'bun:test'
import { migrate } from '../../../src/platform/db/migrate.ts'
import type { Migration } from '../../../src/platform/db/migration.ts'
import { petShop } from '../../../src/shop/index.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())
const { db } = service.context
const known = petShop.migrations.length

const later: Migration = { name: 'later', statements: { sqlite: [], postgres: [] }, oldestProgram: known }
const muchLater: Migration = { name: 'much later', statements: { sqlite: [], postgres: [] }, oldestProgram: known + 1 }

test('a program accepts a newer schema unless it is too new', async () => {
  expect(await migrate(db, 0, [...petShop.migrations, later])).toEqual({ applied: ['later'] })
  expect(await migrate(db, 0, petShop.migrations)).toEqual({ applied: [] })
  await service.restart()
  expect(await migrate(service.context.db, 0, [...petShop.migrations, later, muchLater])).toEqual({
    applied: ['much later'],
  })
  expect(String(await failureOf(migrate(service.context.db, 0, petShop.migrations)))).toContain(
    `The database is at schema version ${known + 2}, which requires a program that knows version ${known + 1}; this one knows ${known}. Start a newer version of the program.`,
  )
  expect(await migrate(service.context.db, 0, [...petShop.migrations, later])).toEqual({ applied: [] })
})
