// The floor under the data: bun:sqlite in a loop, with no HTTP around it. Prints operations a second as JSON.
import { openOrderTables, orderPlacer } from './order-tables.ts'

const [path = '', kind = '', seconds = '1'] = process.argv.slice(2)
const db = openOrderTables(path)
const point = db.query('SELECT id, name, category_id, status FROM pets WHERE id = ?')
const page = db.query('SELECT id, name, category_id, status FROM pets ORDER BY id LIMIT 21')
const place = orderPlacer(db)
const work: Record<string, (index: number) => unknown> = {
  pet: (index) => point.get((index % 100) + 1),
  page: () => page.all(),
  order: (index) => place((index % 100) + 1, 1),
}
const once = work[kind] as (index: number) => unknown

const until = performance.now() + Number(seconds) * 1000
const started = performance.now()
let done = 0
while (performance.now() < until) for (let turn = 0; turn < 50; turn++) once(done++)
process.stdout.write(`${JSON.stringify({ perSecond: (done / (performance.now() - started)) * 1000 })}\n`)
