import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { takeBackup } from '../../../src/commands/backup.ts'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { petShop } from '../../../src/shop/index.ts'
import { createMigratedDatabase } from '../../harness/database.ts'
import { eventually } from '../../harness/eventually.ts'
import { failureOf } from '../../harness/failure-of.ts'
import { call, startNodes } from '../../harness/nodes.ts'
import { startLoad } from '../../harness/order-load.ts'

const onSqlite = process.env.TEST_ENGINE !== 'postgres'

describe.if(onSqlite)('a backup of SQLite as docs/backup.md describes it', () => {
  let directory: string
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'petstore-backup-'))
  })
  afterAll(() => rmSync(directory, { recursive: true, force: true }))

  test('taken under load, contains every order acknowledged before, and can be served', async () => {
    const source = join(directory, 'petstore.db')
    const backup = join(directory, 'backup.db')
    const running = await startNodes(1, {}, `sqlite:${source}`)
    const url = running.nodes[0]?.url ?? ''
    const admin = (method: string, path: string, body?: unknown) => call(url, running.adminSecret, method, path, body)
    const ample = { plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: 1_000_000 } }
    const { secret } = (await admin('POST', '/keys', { name: 'Load', preset: 'client', ...ample })).body
    const categoryId = (await admin('POST', '/categories', { name: 'Fish' })).body.id
    const petId = (await admin('POST', '/pets', { name: 'Guppy', categoryId })).body.id
    await admin('PUT', `/store/inventory/${petId}`, { quantity: 1_000_000 })
    const load = startLoad([url], secret, petId, 4)
    await eventually(() => load.cancelled.size >= 50)

    const placed = new Set(load.placed)
    const connection = new Connection(source)
    connection.run('PRAGMA busy_timeout = 5000')
    connection.run('VACUUM INTO ?', [backup])
    connection.close()
    await load.stop()
    expect([...load.statuses.keys()].filter((status) => status >= 400 || status === 0)).toEqual([])
    await running.stop()

    const restored = await startNodes(1, {}, `sqlite:${backup}`)
    const response = (path: string) => call(restored.nodes[0]?.url ?? '', secret, 'GET', path)
    // An order that was being cancelled at that moment may be in it or not.
    const kept = [...placed].filter((id) => !load.cancelled.has(id) && load.placed.has(id)).slice(0, 50)
    const statuses = await Promise.all(kept.map(async (id) => (await response(`/store/orders/${id}`)).status))
    expect(statuses).toEqual(kept.map(() => 200))
    expect((await response('/pets?q=gupp')).body).toHaveLength(1)
    await restored.stop()
    const check = new Connection(backup)
    expect(check.query('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(
      check
        .query('SELECT (SELECT sum(delta) FROM stock_movements) - (SELECT sum(quantity) FROM inventory) AS gap')
        .get(),
    ).toEqual({ gap: 0 })
    check.close()
  })

  test('that lacks a line is rejected, although it has newer ones', async () => {
    const database = await createMigratedDatabase()
    const source = database.url.replace('sqlite:', '')
    {
      await using db = openSqlite(source)
      await migrate(db, 0, petShop.migrations)
    }
    const change = (statement: string) => {
      using connection = new Connection(source)
      connection.run(statement)
    }
    const addLines = "INSERT INTO stock_movements (pet_id, delta, cause, at) VALUES (1, 1, 'set', 0), (1, 1, 'set', 0)"
    change(addLines)
    const file = join(directory, 'lacking.db')
    let reads = 0
    const backup = {
      databaseUrl: database.url,
      now: 0,
      /** Read for the second time when the lines have been counted, and before the copy is made. */
      get file() {
        reads++
        if (reads === 2) change(`DELETE FROM stock_movements WHERE id = 1; ${addLines}`)
        return file
      },
    }
    const failure = (await failureOf(takeBackup(backup))) as Error
    expect(failure.message).toContain('The backup has only 1 of 2 rows of stock_movements. It was removed.')
    expect(existsSync(file)).toBe(false)
    await database.remove()
  })
})
