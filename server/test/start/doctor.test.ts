import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { examine } from '../../src/doctor.ts'
import { createTestDatabase } from '../harness/database.ts'

describe.if(process.env.TEST_ENGINE === 'postgres')("PostgreSQL's settings", () => {
  test('that are harmful are reported with advice, and no others', async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await using sql = new SQL(database.url, { max: 1 })
    const found = async () =>
      (await examine({ env: { DATABASE_URL: database.url }, now: Date.now })).filter(
        ({ check }) => check === 'settings',
      )
    const set = (setting: string) => sql.unsafe(`ALTER DATABASE ${name} SET ${setting}`)

    // Ignore the settings of the test server.
    const before = (await found()).filter(({ state }) => state !== 'well')
    await set('synchronous_commit = off')
    await set('enable_indexscan = off')
    const added = (await found()).filter(({ says }) => !before.some((old) => old.says === says))
    expect(added).toMatchObject([
      { state: 'mind', says: expect.stringContaining('enable_indexscan = off'), advice: expect.any(String) },
      { state: 'mind', says: expect.stringContaining('synchronous_commit = off'), advice: expect.any(String) },
    ])
    await set('synchronous_commit = on')
    await set('enable_indexscan = on')
    expect((await found()).filter(({ state }) => state !== 'well')).toEqual(before)
    await database.remove()
  })
})
