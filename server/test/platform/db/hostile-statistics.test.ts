import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Keyset, Sort } from '../../../src/platform/db/clauses.ts'
import type { Queryable } from '../../../src/platform/db/database.ts'
import { findMovements, movementSorts } from '../../../src/shop/inventory/movements.ts'
import { findInventory, inventorySorts } from '../../../src/shop/inventory/store.ts'
import { findOrders, orderSorts, visibleOrderId } from '../../../src/shop/orders/store.ts'
import { findPets, type PetFilter, petSorts } from '../../../src/shop/pets/store.ts'
import { type Service, startService } from '../../harness/service.ts'
import { visitedRows } from '../../harness/visited-rows.ts'

// Statistics of PostgreSQL may be outdated or missing: lists must read a bounded number of rows anyway.

const rows = 30_000
/** For a page that an index serves directly, and for one that scans rows. */
const pageMax = 200
const searchMax = 12_000

const petsOf = (from: number, to: number, status: string) =>
  `INSERT INTO pets (id, name, name_folded, category_id, status, held)
   SELECT n, 'Gecko ' || md5(n::text), 'gecko ' || md5(n::text), 1 + n % 2, '${status}', 0 FROM generate_series(${from}, ${to}) AS n`
const ordersOf = (keyId: number, from: number, to: number) =>
  `INSERT INTO orders (id, key_id, pet_id, quantity, ship_date, complete, created_at)
   SELECT n, ${keyId}, 1, 1, n, n % 2, n FROM generate_series(${from}, ${to}) AS n`
const movementsOf = (petId: number, from: number, to: number) =>
  `INSERT INTO stock_movements (id, pet_id, delta, cause, at)
   SELECT n, ${petId}, 1, 'adjusted', n FROM generate_series(${from}, ${to}) AS n`

const analyze = 'ANALYZE pets, inventory, orders, stock_movements'
const inventoryOf = (from: number, to: number) =>
  `INSERT INTO inventory (pet_id, quantity) SELECT n, n FROM generate_series(${from}, ${to}) AS n`

/** The same rows, analyzed at different times. */
const statistics: Record<string, string[]> = {
  'never made': [petsOf(1, 300, 'pending'), ordersOf(1, 1, 300), movementsOf(1, 1, 300), inventoryOf(1, 300)],
  'made before most rows were added': [
    petsOf(1, 300, 'pending'),
    ordersOf(1, 1, 300),
    movementsOf(1, 1, 300),
    inventoryOf(1, 300),
    analyze,
  ],
}
const mostRows = [
  petsOf(301, rows, 'available'),
  ordersOf(2, 301, rows),
  movementsOf(2, 301, rows),
  inventoryOf(301, rows),
]

const first = (sort: Sort, after?: Keyset['after']): Keyset => ({ sort, after, limit: 20 })
type Find = (db: Queryable) => Promise<unknown>
const pets =
  (filter: PetFilter, keyset: Keyset): Find =>
  (db) =>
    findPets(db, filter, keyset)

const pages: Record<string, Find> = {
  'pets by name': pets({}, first(petSorts.name)),
  'available pets by name': pets({ status: ['available'] }, first(petSorts.name)),
  'available pets, last first': pets({ status: ['available'] }, first(petSorts['-id'], [20_000])),
  'available and pending pets': pets({ status: ['available', 'pending'] }, first(petSorts['-name'])),
  'pets of a category by name': pets({ categoryId: [1] }, first(petSorts.name)),
  'orders of a key that was added late': (db) => findOrders(db, 2, {}, first(orderSorts.id)),
  'open orders of a key that was added late': (db) => findOrders(db, 2, { complete: false }, first(orderSorts['-id'])),
  'orders of everyone by time': (db) => findOrders(db, 'everyone', { placedFrom: 0 }, first(orderSorts.placed)),
  'open orders of everyone before a time': (db) =>
    findOrders(db, 'everyone', { complete: false }, first(orderSorts['-id'])),
  'open orders of everyone by ship date': (db) =>
    findOrders(db, 'everyone', { complete: false, shipTo: 20_000 }, first(orderSorts['-shipDate'])),
  'orders of a key that stopped ordering, last first': (db) => findOrders(db, 1, {}, first(orderSorts['-id'])),
  'the stock movements of a pet': (db) =>
    findMovements(db, visibleOrderId('everyone', 'order_id'), { petId: 2 }, first(movementSorts['-at'])),
}
const searches: Record<string, Find> = {
  'orders of a key that was added late by time': (db) =>
    findOrders(db, 2, { placedFrom: 0 }, first(orderSorts['-placed'])),
  'complete orders of a key that stopped ordering by ship date': (db) =>
    findOrders(db, 1, { complete: true }, first(orderSorts.shipDate)),
  'available pets of a category': pets({ status: ['available'], categoryId: [1] }, first(petSorts.name)),
  'pets by a part of the name that all have': pets({ q: 'gecko' }, first(petSorts.name)),
  'available pets by two letters that none has': pets({ q: 'zz', status: ['available'] }, first(petSorts['-name'])),
  'pets by letters that none has': pets({ q: 'zzz' }, first(petSorts.id)),
  'inventory that runs out': (db) => findInventory(db, { maxQuantity: 0 }, first(inventorySorts.petId)),
  'inventory of available pets that runs out': (db) =>
    findInventory(db, { maxQuantity: 0, status: ['available'] }, first(inventorySorts['-petId'])),
}

describe.if(process.env.TEST_ENGINE === 'postgres').each(Object.entries(statistics))('statistics %s', (_, before) => {
  let service: Service
  beforeAll(async () => {
    service = await startService()
    await service.newClient()
    await service.context.db.exclusively(async (tx) => {
      for (const table of ['pets', 'inventory', 'orders', 'stock_movements']) {
        await tx.query(`ALTER TABLE ${table} SET (autovacuum_enabled = off)`)
      }
      for (const id of [1, 2, 3]) {
        await tx.query("INSERT INTO categories (id, name, name_folded) VALUES ($1, 'Kind', 'kind')", [id])
      }
      for (const statement of [...before, ...mostRows]) await tx.query(statement)
    })
  })
  afterAll(() => service.stop())

  const read = (find: Find) => visitedRows(service.context.db, find)

  test.each(Object.entries(pages))('%s', async (_, find) => {
    expect(await read(find)).toBeLessThanOrEqual(pageMax)
  })
  test.each(Object.entries(searches))('%s', async (_, find) => {
    expect(await read(find)).toBeLessThanOrEqual(searchMax)
  })
})

describe.if(process.env.TEST_ENGINE === 'postgres')('current statistics', () => {
  test('the orders of a key that had half of all orders and stopped are not searched among those of others', async () => {
    const service = await startService()
    await service.newClient()
    const { db } = service.context
    await db.exclusively(async (tx) => {
      for (const statement of [ordersOf(1, 1, rows / 2), ordersOf(2, rows / 2 + 1, rows), analyze])
        await tx.query(statement)
    })
    const find = (db: Queryable) => findOrders(db, 1, {}, first(orderSorts['-id']))
    expect(await visitedRows(db, find)).toBeLessThanOrEqual(pageMax)
    await service.stop()
  })
})
