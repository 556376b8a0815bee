import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dumpFile, dumpSchema, fingerprints, fingerprintsFile } from '../../../../scripts/schema-dump.ts'
import { petShop } from '../../../src/shop/index.ts'
import { startService } from '../../harness/service.ts'

// After adding a migration: npx bun scripts/schema.ts.

test('the migrations create the committed schema', async () => {
  const service = await startService()
  const { db } = service.context
  expect(await dumpSchema(db)).toBe(readFileSync(dumpFile(db.dialect.engine), 'utf8'))
  await service.stop()
})

test('released migrations have not changed', () => {
  expect(fingerprints()).toEqual(JSON.parse(readFileSync(fingerprintsFile, 'utf8')))
})

test('indexes of tables that are in use are built and dropped without blocking traffic', () => {
  const within = petShop.migrations.flatMap(({ name, statements }) => {
    const all = statements?.postgres ?? []
    const created = all.flatMap((sql) => /^CREATE (?:UNLOGGED )?TABLE (\w+)/.exec(sql)?.[1] ?? [])
    const inUse = (sql: string) => {
      const table = /^CREATE (?:UNIQUE )?INDEX \w+ ON (\w+)/.exec(sql)?.[1]
      return sql.startsWith('DROP INDEX') || (table !== undefined && !created.includes(table))
    }
    return all.filter(inUse).map((sql) => `${name}: ${sql}`)
  })
  expect(within).toEqual([])
})

test('no migration excludes a program that knows all earlier migrations', () => {
  const tooEarly = petShop.migrations.filter(({ oldestProgram = 0 }, index) => oldestProgram > index)
  expect(tooEarly.map(({ name }) => name)).toEqual([])
})
