import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createOneNode, type OneNode } from '../../harness/one-node.ts'
import { debianProgram } from '../../harness/run/debian-program.ts'
import { newDirectory } from '../../harness/scratch.ts'
import { seeded } from '../../harness/seeded.ts'
import { readRecord, writeDiskAfter } from './power-cut.ts'

// A power cut: only what was synced is on the disk, and any part of what was not. kill -9 alone loses nothing that was written. SQLite
// only: PostgreSQL syncs by itself, if its settings say so, which `petstore doctor` checks.

const isPossible = process.platform === 'linux' && process.env.TEST_ENGINE !== 'postgres'
const compiler = isPossible ? debianProgram('gcc', ['gcc', 'libc6-dev']) : undefined
const cuts = Number(process.env.POWER_CUTS ?? 3)
const orders = Math.max(200, cuts * 40)
const workers = 8
const seed = Number(process.env.POWER_SEED ?? randomInt(2 ** 32))
if (compiler !== undefined) process.stdout.write(`power cuts: POWER_SEED=${seed}\n`)

describe.if(compiler !== undefined)('power cuts', () => {
  const random = seeded(seed)
  const scratch = newDirectory()
  const record = join(scratch.path, 'record')
  let node: OneNode
  let entries: ReturnType<typeof readRecord>
  /** Each order with the size of the record when it was acknowledged. */
  const acknowledged: { id: number; recordBytes: number }[] = []
  let petId: number
  const stock = 1_000_000

  beforeAll(async () => {
    const library = join(scratch.path, 'record-disk.so')
    const source = join(import.meta.dir, 'record-disk.c')
    const { exitCode, stderr } = Bun.spawnSync([compiler as string, '-shared', '-fPIC', '-o', library, source, '-ldl'])
    if (exitCode !== 0) throw new Error(stderr.toString())
    node = await createOneNode((directory) => ({
      LD_PRELOAD: library,
      RECORD_FILE: record,
      RECORD_DIRECTORY: realpathSync(directory),
    }))
    await node.start()
    const { body: category } = await node.send('POST', '/categories', { name: 'Dogs' })
    petId = (await node.send('POST', '/pets', { name: 'Rex', categoryId: category.id })).body.id
    await node.send('PUT', `/store/inventory/${petId}`, { quantity: stock })
    const placeOrders = async () => {
      while (acknowledged.length < orders) {
        const { body } = await node.send('POST', '/store/orders', { petId })
        acknowledged.push({ id: body.id, recordBytes: statSync(record).size })
      }
    }
    await Promise.all(Array.from({ length: workers }, placeOrders))
    await node.kill()
    entries = readRecord(readFileSync(record))
  })
  afterAll(async () => {
    await node.remove()
    scratch.remove()
  })

  /** Cuts the power after these entries: the node finds only what is on its disk then. */
  function cutPower(recorded: typeof entries, keep: () => boolean): void {
    const directory = dirname(node.databasePath)
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
    writeDiskAfter(recorded, keep, directory)
  }

  function inspect(expectWhole: (db: Database) => void): void {
    using db = new Database(node.databasePath, { readonly: true })
    expectWhole(db)
  }

  const storedOrders = (db: Database) =>
    new Set((db.query('SELECT id FROM orders').all() as { id: number }[]).map(({ id }) => id))

  test(`${cuts} times, every acknowledged order is there afterwards, and the stock balances`, async () => {
    const [first] = acknowledged
    const possible = entries.filter(({ end }) => end >= (first as { recordBytes: number }).recordBytes)
    for (let cut = 0; cut < cuts; cut++) {
      const cutAt = possible[random(possible.length)]?.end as number
      const keepPercent = [0, 50, 100][cut % 3] as number
      const recorded = entries.filter(({ end }) => end <= cutAt)
      cutPower(recorded, () => random(100) < keepPercent)
      await node.start()
      const promised = acknowledged.filter(({ recordBytes }) => recordBytes <= cutAt).map(({ id }) => id)
      expect((await node.send('GET', `/store/orders/${promised.at(-1)}`)).status).toBe(200)
      await node.kill()
      inspect((db) => {
        const stored = storedOrders(db)
        expect(promised.filter((id) => !stored.has(id))).toEqual([])
        expect(db.query('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
        const one = (sql: string) => (db.query(sql).get(petId) as { n: number }).n
        const inStock = one('SELECT quantity AS n FROM inventory WHERE pet_id = ?')
        expect(one('SELECT sum(delta) AS n FROM stock_movements WHERE pet_id = ?')).toBe(inStock)
        expect(inStock + stored.size).toBe(stock)
      })
    }
  })

  test('if syncs did nothing, orders would be lost: the disk forgets what was not synced', () => {
    const firstBytes = acknowledged[0]?.recordBytes as number
    const withoutSyncs = entries.filter(({ kind, end }) => kind !== 's' || end <= firstBytes)
    cutPower(withoutSyncs, () => false)
    inspect((db) => expect(storedOrders(db).size).toBeLessThan(acknowledged.length / 2))
  })
})
