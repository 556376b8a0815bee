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

  test('that let a power cut lose or corrupt data are among them', async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    await using sql = new SQL(database.url, { max: 1 })
    await sql.unsafe(`ALTER DATABASE ${name} SET synchronous_commit = local`)
    await using changed = new SQL(database.url, { max: 1 })
    const expected: string[] = []
    for (const setting of ['fsync', 'full_page_writes', 'synchronous_commit']) {
      const [row] = await changed.unsafe(`SELECT current_setting('${setting}') AS value`)
      if (row.value !== 'on') expected.push(`${setting} = ${row.value}`)
    }
    const findings = await examine({ env: { DATABASE_URL: database.url }, now: Date.now })
    const found = findings
      .filter(({ check, state }) => check === 'settings' && state === 'mind')
      .map(({ says }) => says)
    for (const setting of expected) expect(found).toContainEqual(expect.stringContaining(setting))
    expect(expected).toContain('synchronous_commit = local')
    await database.remove()
  })
})
