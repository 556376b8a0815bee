import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { appendFileSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { openArchiveFolder } from '../../server/src/commands/archive-folder.ts'
import { takeBackup } from '../../server/src/commands/backup.ts'
import { openForCommand } from '../../server/src/platform/db/open.ts'
import { findOldOrders } from '../../server/src/shop/orders/archive.ts'
import { createMigratedDatabase, type TestDatabase } from '../../server/test/harness/database.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { call, type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { startLoad } from '../../server/test/harness/order-load.ts'
import { runProgram } from '../../server/test/harness/run/run-service.ts'
import { newDirectory, type Scratch } from '../../server/test/harness/scratch.ts'
import { fillWithOldOrders, oldOrders, rowsOf, sumsOf } from './harness/old-orders.ts'
import { petstore, program } from './harness/petstore.ts'

// `petstore archive` on databases with orders of 2024, on the engine under test.

let home: Scratch
let served: Nodes
let admin: (method: string, path: string, body?: unknown) => ReturnType<typeof call>
let petIds: number[]
beforeAll(async () => {
  home = newDirectory()
  served = await startNodes(1)
  admin = (...request) => call(served.nodes[0]?.url ?? '', served.adminSecret, ...request)
  const categoryId = (await admin('POST', '/categories', { name: 'Fish' })).body.id
  petIds = []
  for (const name of ['Guppy', 'Koi', 'Carp']) {
    const { id } = (await admin('POST', '/pets', { name, categoryId })).body
    await admin('PUT', `/store/inventory/${id}`, { quantity: 1_000 })
    petIds.push(id)
  }
  await fillWithOldOrders(served.databaseUrl, petIds)
})
afterAll(async () => {
  await served.stop()
  home.remove()
})

const others: TestDatabase[] = []
afterAll(() => Promise.all(others.map((database) => database.remove())))
async function newDatabase(): Promise<string> {
  const database = await createMigratedDatabase()
  others.push(database)
  await petstore(['migrate'], { env: { DATABASE_URL: database.url } })
  return database.url
}

/** A database with pets and old orders that no service uses. */
async function newShop(): Promise<string> {
  const url = await newDatabase()
  await fillWithOldOrders(url, [1, 2, 3])
  return url
}

let folders = 0
const newFolder = () => join(home.path, `archive-${++folders}`)
const archive = (url: string, folder: string, before = '2025-01-01') =>
  petstore(['archive', '--before', before, '--to', folder, '--json'], { env: { DATABASE_URL: url } })
const restore = (url: string, folder: string) =>
  petstore(['archive', '--restore', folder, '--json'], { env: { DATABASE_URL: url } })

interface IndexLine {
  readonly file: string
  readonly sha256: string
  readonly rows: { readonly orders: number; readonly history: number; readonly movements: number }
}

const indexOf = (folder: string): IndexLine[] =>
  readFileSync(join(folder, 'index.ndjson'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** All rows in the files of the index, as rowsOf gives them. */
function rowsInFiles(folder: string): string[] {
  return indexOf(folder).flatMap(({ file, sha256 }) => {
    const packed = readFileSync(join(folder, file))
    expect(createHash('sha256').update(packed).digest('hex')).toBe(sha256)
    const orders = gunzipSync(packed).toString().trimEnd().split('\n')
    return orders.flatMap((line) => {
      const { order, history, movements } = JSON.parse(line)
      return [...(order ? [order] : []), ...history, ...movements].map((row) => JSON.stringify(row))
    })
  })
}

/** Checks that each row is in the database or in the archive, once, and that the stock still adds up. */
async function expectAllRows(url: string, folder: string, before: readonly string[]): Promise<void> {
  expect([...(await rowsOf(url)), ...rowsInFiles(folder)].sort()).toEqual(before.toSorted())
  await expectHealthy(url)
}

async function expectHealthy(url: string): Promise<void> {
  const { output } = await petstore(['doctor', '--json'], { env: { DATABASE_URL: url } })
  const data = (JSON.parse(output) as { check: string; state: string; says: string }[]).find(
    ({ check }) => check === 'data',
  )
  expect(data).toMatchObject({ state: 'ok' })
}

test('old orders leave a running shop, whose stock still adds up; the rest stays', async () => {
  const folder = newFolder()
  const { databaseUrl } = served
  const before = await rowsOf(databaseUrl)
  const stock = (await admin('GET', '/store/inventory')).body
  const recent = (await admin('POST', '/store/orders', { petId: petIds[0], complete: true })).body
  const newRows = (await rowsOf(databaseUrl)).filter((row) => !before.includes(row))
  const { code, output } = await archive(databaseUrl, folder)
  expect([code, JSON.parse(output)]).toEqual([
    0,
    { folder, files: indexOf(folder).length, contradictory: 0, ...oldOrders.archived },
  ])
  await expectAllRows(databaseUrl, folder, [...before, ...newRows])

  const statusOf = async (path: string) => (await admin('GET', path)).status
  const [completed = 0, , cancelled = 0] = oldOrders.ids
  for (const id of [completed, cancelled]) {
    expect(await statusOf(`/store/orders/${id}`)).toBe(404)
    expect(await statusOf(`/store/orders/${id}/history`)).toBe(404)
  }
  expect(await statusOf(`/store/orders/${oldOrders.openId}`)).toBe(200)
  expect(await statusOf(`/store/orders/${recent.id}`)).toBe(200)
  const listed = (await admin('GET', '/store/orders?complete=true&limit=100')).body
  expect(listed.map(({ id }: { id: number }) => id)).toEqual([recent.id])
  const after = (await admin('GET', '/store/inventory')).body
  expect(after.slice(1)).toEqual(stock.slice(1))
  const movements = (await admin('GET', `/store/inventory/${petIds[1]}/movements?limit=100`)).body
  expect(movements.filter(({ cause }: { cause: string }) => cause === 'archived')).toEqual([
    { id: expect.any(Number), cause: 'archived', delta: expect.any(Number), time: '2025-01-01T00:00:00.000Z' },
  ])
  expect((await admin('POST', '/store/orders', { petId: petIds[0] })).body.id).toBeGreaterThan(recent.id)
  const report = await petstore(['doctor'], { env: { DATABASE_URL: databaseUrl } })
  expect(report.output).toContain(`${oldOrders.archived.orders.toLocaleString('en')} orders are archived`)
  // A second run finds nothing, and writes nothing.
  const files = readdirSync(folder)
  expect(JSON.parse((await archive(databaseUrl, folder)).output)).toMatchObject({ files: 0, orders: 0 })
  expect(readdirSync(folder)).toEqual(files)
})

test('killed twice, it goes on where it was, and every row is in the database or in a file', async () => {
  const [url, folder] = [await newShop(), newFolder()]
  const before = await rowsOf(url)
  for (let kills = 0; kills < 2; kills++) {
    const running = runProgram({
      command: [...program, 'archive', '--before', '2025-01-01', '--to', folder],
      env: { DATABASE_URL: url },
      readyWhen: /ndjson\.gz /,
    })
    // On a busy machine it may have moved everything before this process learns of the first file.
    await Promise.race([running.ready, running.exited])
    await running.kill('SIGKILL')
  }
  expect((await archive(url, folder)).code).toBe(0)
  await expectAllRows(url, folder, before)
  expect(rowsInFiles(folder).length).toBe(
    Object.values(oldOrders.archived).reduce((sum, count) => sum + count) - oldOrders.cancelled,
  )
})

test('whatever an interrupted run left, the next one completes it', async () => {
  const [url, folder] = [await newShop(), newFolder()]
  const before = await rowsOf(url)
  const day = Date.parse('2025-01-01')
  await using db = await openForCommand({ url, name: 'petstore-test' })
  const { orders } = await findOldOrders(db, { after: 0, before: day, lines: 64 })
  // Stopped while writing a file, before adding it to the index, and while adding it.
  openArchiveFolder(folder)[Symbol.dispose]()
  writeFileSync(join(folder, '000001.ndjson.gz.part'), 'half')
  writeFileSync(join(folder, '000001.ndjson.gz'), 'of an unknown file')
  appendFileSync(join(folder, 'index.ndjson'), '{"file":"000001.nd')
  // Stopped before it deleted the orders of the file.
  {
    using opened = openArchiveFolder(folder)
    expect(opened.files()).toEqual([])
    opened.write(orders, day)
  }
  expect(await rowsOf(url)).toEqual(before)
  expect((await archive(url, folder)).code).toBe(0)
  await expectAllRows(url, folder, before)
})

test('a folder with the orders of another shop is rejected, and nothing is deleted', async () => {
  const [url, other, folder] = [await newShop(), await newShop(), newFolder()]
  await archive(other, folder)
  const before = await rowsOf(url)
  const rejected = await archive(url, folder)
  expect([rejected.code, rejected.errors]).toEqual([1, expect.stringContaining('Name a new folder')])
  const one = newFolder()
  mkdirSync(one)
  const [first] = indexOf(folder)
  copyFileSync(join(folder, first?.file ?? ''), join(one, first?.file ?? ''))
  writeFileSync(join(one, 'index.ndjson'), `${JSON.stringify(first)}\n`)
  await using db = await openForCommand({ url, name: 'petstore-test' })
  await db.transaction((tx) => tx.query("UPDATE order_history SET key_id = 77 WHERE kind = 'placed'"))
  const changed = await rowsOf(url)
  const different = await archive(url, one)
  expect([different.code, different.errors]).toEqual([1, expect.stringContaining('differ from those in the database')])
  expect(await rowsOf(url)).toEqual(changed)
  expect(changed.length).toBe(before.length)
})

test('orders whose rows contradict each other stay, and the command says so', async () => {
  const [url, folder] = [await newShop(), newFolder()]
  await using db = await openForCommand({ url, name: 'petstore-test' })
  const id = oldOrders.ids[0] ?? 0
  await db.transaction((tx) => tx.query('UPDATE orders SET quantity = quantity + 1 WHERE id = $1', [id]))
  const { code, output, errors } = await archive(url, folder)
  expect([code, JSON.parse(output).contradictory]).toEqual([0, 1])
  expect(errors).toContain('1 orders stay')
  expect(await db.query('SELECT id FROM orders WHERE id = $1', [id])).toHaveLength(1)
})

test('a restored archive gives the same rows: to the shop that it is from, to an empty one, and if repeated', async () => {
  const [url, empty, folder] = [await newShop(), await newDatabase(), newFolder()]
  const before = await rowsOf(url)
  const sums = await sumsOf(url)
  await archive(url, folder, '2024-07-01')
  await archive(url, folder)
  expect(await sumsOf(url)).toEqual(sums)
  const archived = rowsInFiles(folder).sort()

  for (const target of [url, empty]) {
    const back = await restore(target, folder)
    expect([back.code, JSON.parse(back.output)]).toMatchObject([0, oldOrders.archived])
    expect(JSON.parse((await restore(target, folder)).output)).toMatchObject({ files: 0, orders: 0 })
    await expectHealthy(target)
  }
  expect(await rowsOf(url)).toEqual(before)
  expect(await sumsOf(url)).toEqual(sums)
  expect((await rowsOf(empty)).sort()).toEqual(archived)
  // Without pets there is no stock: the opening balances are the other side of what was restored.
  expect(new Set((await sumsOf(empty)).map(({ sum }) => sum))).toEqual(new Set([0]))
  const node = await startNodes(1, {}, empty)
  const path = `/store/orders/${oldOrders.ids[0]}`
  const restored = await call(node.nodes[0]?.url ?? '', node.adminSecret, 'GET', path)
  expect([restored.status, restored.body.complete]).toEqual([200, true])
  await node.stop()
})

test('what was restored is not archived again by an earlier date', async () => {
  const [url, folder] = [await newShop(), newFolder()]
  await archive(url, folder, '2024-02-01')
  expect(indexOf(folder)).toHaveLength(1)
  await restore(url, folder)
  const before = await rowsOf(url)
  const { code, errors } = await archive(url, folder, '2020-01-01')
  expect([code, errors]).toEqual([
    1,
    expect.stringContaining('--before 2024-02-01T00:00:00.000Z, was interrupted or was restored'),
  ])
  expect(await rowsOf(url)).toEqual(before)
})

test('an old order that was completed after the date stays until a later one', async () => {
  const [url, folder] = [await newShop(), newFolder()]
  const [id = 0] = oldOrders.ids
  await using db = await openForCommand({ url, name: 'petstore-test' })
  await db.transaction((tx) =>
    tx.query("UPDATE order_history SET at = $2 WHERE order_id = $1 AND kind = 'completed'", [id, Date.UTC(2024, 7)]),
  )
  const left = async (before: string) => {
    expect((await archive(url, folder, before)).code).toBe(0)
    return (await db.query('SELECT id FROM orders WHERE id = $1', [id])).length
  }
  expect([await left('2024-07-01'), await left('2025-01-01')]).toEqual([1, 0])
})

test('a damaged file is noticed before anything is restored', async () => {
  const [url, empty, folder] = [await newShop(), await newDatabase(), newFolder()]
  await archive(url, folder)
  const last = join(folder, indexOf(folder).at(-1)?.file ?? '')
  const bytes = readFileSync(last)
  bytes[bytes.length - 20] = (bytes[bytes.length - 20] ?? 0) ^ 1
  writeFileSync(last, bytes)
  const rejected = await restore(empty, folder)
  expect([rejected.code, rejected.errors]).toEqual([1, expect.stringContaining('is damaged')])
  expect(await rowsOf(empty)).toEqual([])
})

test('orders are placed, read and cancelled while others are archived, and a backup taken meanwhile is complete', async () => {
  const running = await startNodes(1, {}, await newDatabase())
  const url = running.nodes[0]?.url ?? ''
  const send = (method: string, path: string, body?: unknown) => call(url, running.adminSecret, method, path, body)
  const categoryId = (await send('POST', '/categories', { name: 'Fish' })).body.id
  const petId = (await send('POST', '/pets', { name: 'Guppy', categoryId })).body.id
  await send('PUT', `/store/inventory/${petId}`, { quantity: 1_000_000 })
  await fillWithOldOrders(running.databaseUrl, [petId])
  const ample = { plan: 'enterprise', limits: { perMinute: 1_000_000, perDay: 1_000_000 } }
  const { secret } = (await send('POST', '/keys', { name: 'Load', preset: 'client', ...ample })).body
  const load = startLoad([url], secret, petId, 4)
  await eventually(() => load.cancelled.size >= 5)
  const folder = newFolder()
  const [done, backup] = await Promise.all([
    archive(running.databaseUrl, folder),
    takeBackup({ databaseUrl: running.databaseUrl, file: join(home.path, 'meanwhile.db'), now: Date.now() }),
  ])
  const placedThen = load.placed.size
  await eventually(() => load.placed.size >= placedThen + 5)
  await load.stop()
  expect([done.code, JSON.parse(done.output)]).toMatchObject([0, oldOrders.archived])
  expect(backup.gaps).toEqual([])
  const kept = [...load.placed].filter((id) => !load.cancelled.has(id)).slice(-100)
  for (const id of kept) expect((await send('GET', `/store/orders/${id}`)).status).toBe(200)
  await expectHealthy(running.databaseUrl)
  await running.stop()
})

test('a full disk ends it with an error, and no order is lost', async () => {
  const [url, disk] = [await newShop(), newFolder()]
  mkdirSync(disk)
  const { success, stderr } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=64k', 'none', disk])
  if (!success) {
    process.stdout.write(`skipped, because nothing can be mounted: a full disk (${stderr.toString().trim()})\n`)
    return
  }
  try {
    const before = await rowsOf(url)
    expect((await archive(url, disk)).errors).toMatch(/no space left/i)
    await expectAllRows(url, disk, before)
    const fill = join(disk, 'fill')
    Bun.spawnSync(['dd', 'if=/dev/zero', `of=${fill}`, 'bs=1k'])
    const left = await rowsOf(url)
    expect((await archive(url, disk)).code).toBe(1)
    expect(await rowsOf(url)).toEqual(left)
    Bun.spawnSync(['mount', '-o', 'remount,size=8m', disk])
    expect((await archive(url, disk)).code).toBe(0)
    await expectAllRows(url, disk, before)
  } finally {
    Bun.spawnSync(['umount', disk])
  }
})

test('what cannot be archived is rejected', async () => {
  const url = served.databaseUrl
  const recent = new Date(Date.now() - 80 * 86_400_000).toISOString().slice(0, 10)
  const young = await archive(url, newFolder(), recent)
  expect([young.code, young.errors]).toEqual([1, expect.stringContaining('more than 90 days ago')])
  for (const words of [['--before', '2025-02-30', '--to', 'x'], ['--before', '2025-01-01'], ['--to', 'x'], []]) {
    expect((await petstore(['archive', ...words], { env: { DATABASE_URL: url } })).code).toBe(2)
  }
  const nowhere = join(home.path, 'nowhere')
  expect((await restore(url, nowhere)).errors).toContain('There is no folder')
  expect(existsSync(nowhere)).toBe(false)
})
