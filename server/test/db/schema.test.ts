import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dumpFile, dumpSchema, fingerprints, fingerprintsFile } from '../../../scripts/schema-dump.ts'
import { startService } from '../harness.ts'

// After adding a migration: npm run schema.

test('the migrations make the schema that is written down', async () => {
  const service = await startService()
  const { db } = service.context
  expect(await dumpSchema(db)).toBe(readFileSync(dumpFile(db.dialect.engine), 'utf8'))
  await service.stop()
})

test('a released migration is as it was released', () => {
  expect(fingerprints()).toEqual(JSON.parse(readFileSync(fingerprintsFile, 'utf8')))
})
