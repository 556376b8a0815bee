import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { examine } from '../../src/doctor.ts'
import { createTestDatabase } from '../harness/database.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')("PostgreSQL's settings", () => {
  test('that hurt are faults with advice, and none is found where none does', async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await using sql = new SQL(database.url, { max: 1 })
    const settings = async () =>
      (await examine({ env: { DATABASE_URL: database.url }, now: Date.now })).filter(
        ({ check }) => check === 'settings',
      )

    expect(await settings()).toMatchObject([{ state: 'well' }])
    await sql.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = off`)
    await sql.unsafe(`ALTER DATABASE ${name} SET enable_indexscan = off`)
    expect(await settings()).toMatchObject([
      { state: 'fault', says: expect.stringContaining('enable_indexscan = off'), advice: expect.any(String) },
      { state: 'fault', says: expect.stringContaining('synchronous_commit = off'), advice: expect.any(String) },
    ])
    await database.remove()
  })
})
