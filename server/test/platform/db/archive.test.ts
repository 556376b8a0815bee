import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describeGaps } from '../../../src/commands/gaps.ts'
import { root } from '../../harness/run/run-service.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

/** Reads the statements from the page on backups. */
function readStatements(before: number): string[] {
  const page = readFileSync(join(root, 'docs/backup.md'), 'utf8')
  const [, block = ''] = /```sql\n(DELETE FROM orders[^`]*)```/.exec(page) ?? []
  return block
    .replaceAll(':before', String(before))
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}

test('archiving by the statements of the page on backups removes old orders and keeps the rest consistent', async () => {
  const { admin, clock } = service
  const { db } = service.context
  const { body: category } = await admin.post('/categories', { name: 'Fish' })
  const { body: pet } = await admin.post('/pets', { name: 'Guppy', categoryId: category.id })
  await admin.put(`/store/inventory/${pet.id}`, { quantity: 100 })
  const place = async (complete: boolean): Promise<number> =>
    (await admin.post('/store/orders', { petId: pet.id, quantity: 3, complete })).body.id
  const [old, open, cancelled] = [await place(true), await place(false), await place(false)]
  await admin.delete(`/store/orders/${cancelled}`)
  clock.advance(1_000)
  const before = clock.now()
  clock.advance(1_000)
  const recent = await place(true)

  const all = readStatements(before)
  expect(all.length).toBe(5)
  await db.transaction(async (tx) => {
    for (const statement of all) await tx.query(statement)
  })
  const statusOf = async (id: number) => (await admin.get(`/store/orders/${id}`)).status
  expect([await statusOf(old), await statusOf(open), await statusOf(recent)]).toEqual([404, 200, 200])
  const [left] = await db.query<{ lines: number }>('SELECT count(*) AS lines FROM stock_movements')
  expect(left?.lines).toBe(2)
  expect(await db.transaction(describeGaps)).toEqual([])
})
