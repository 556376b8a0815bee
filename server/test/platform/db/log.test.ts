import { Database as Connection } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

/** A larger log is truncated once it has no reader. */
const boundBytes = 16 * 1024 * 1024

describe.if(process.env.TEST_ENGINE !== 'postgres')("SQLite's log", () => {
  test('grows while another process reads, is shown in the metrics, and shrinks afterwards, even without a write', async () => {
    const service = await startService()
    const { db, metrics } = service.context
    const inMetrics = async () => Number(/^petstore_sqlite_log_bytes (\d+)$/m.exec(await metrics.render())?.[1])
    const [{ file }] = (await db.query<{ file: string }>('PRAGMA database_list')) as [{ file: string }]
    const onDisk = () => statSync(`${file}-wal`).size

    const reader = new Connection(file)
    reader.run('BEGIN')
    reader.query('SELECT count(*) FROM settings').get()
    for (let part = 0; part < 4; part++) {
      await db.transaction(async (tx) => {
        const value = 'x'.repeat(8 * 1024 * 1024)
        await tx.query('INSERT INTO settings (name, value) VALUES ($1, $2)', [`part ${part}`, value])
      })
    }
    expect(onDisk()).toBeGreaterThan(boundBytes)
    expect(await inMetrics()).toBe(onDisk())
    // It cannot shrink while the reader is there.
    db.log?.shorten()
    expect(onDisk()).toBeGreaterThan(boundBytes)

    reader.run('COMMIT')
    reader.close()
    await eventually(() => onDisk() <= boundBytes, onDisk)
    expect(await db.query("SELECT count(*) AS parts FROM settings WHERE name LIKE 'part %'")).toEqual([{ parts: 4 }])
    await service.stop()
  })
})
