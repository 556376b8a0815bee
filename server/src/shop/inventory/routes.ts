import { keyset, page } from '../../platform/api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../../platform/api/operation.ts'
import { ownerFor } from '../orders/lock.ts'
import { visibleOrderId } from '../orders/store.ts'
import { petLock, petNotFound } from '../pets/lock.ts'
import { showItem } from '../pets/show.ts'
import { adjustInventory } from './adjust.ts'
import { inventoryNotFound } from './lock.ts'
import { findMovements, hasMovements, movementSorts, parseCause, showMovement } from './movements.ts'
import * as operations from './operations.ts'
import { removeInventory } from './remove.ts'
import { setInventory } from './set.ts'
import { setInventories } from './set-many.ts'
import * as store from './store.ts'

export const inventoryRoutes: Route[] = [
  read(operations.listInventory, async (db, { query }) => {
    const pageQuery = keyset(operations.listInventory, query, store.inventorySorts, query.sort ?? 'petId')
    return page(await store.findInventory(db, query, pageQuery), pageQuery, showItem)
  }),

  write(operations.setInventoryItems, async (tx, input) =>
    ok((await setInventories(tx, input, input.body)).map(showItem)),
  ),

  read(operations.getInventoryItem, async (db, { params }) => {
    const item = await store.findInventoryItem(db, params.petId)
    if (!item) throw inventoryNotFound(params.petId)
    return ok(showItem(item))
  }),

  write(operations.setInventoryItem, async (tx, input) => {
    const { item, isNew } = await setInventory(tx, input, input.params.petId, input.body.quantity)
    return isNew ? created(showItem(item), `/store/inventory/${item.id}`) : ok(showItem(item))
  }),

  write(operations.deleteInventoryItem, async (tx, input) => {
    await removeInventory(tx, input, input.params.petId)
    return noContent()
  }),

  write(
    operations.adjustInventory,
    async (tx, input) => ok(showItem(await adjustInventory(tx, input, input.params.petId, input.body))),
    { first: ({ params }) => ({ lock: petLock, id: params.petId }) },
  ),

  read(operations.listMovements, async (db, { params, query, caller }) => {
    const { cause, ...filter } = query
    const pageQuery = keyset(operations.listMovements, query, movementSorts, '-at', params)
    const filtered = { petId: params.petId, causes: cause?.map(parseCause), ...filter }
    const orderId = visibleOrderId(ownerFor(caller), 'stock_movements.order_id')
    const found = await findMovements(db, orderId, filtered, pageQuery)
    if (found.rows.length === 0 && !(await hasMovements(db, params.petId))) throw petNotFound(params.petId)
    return page(found, pageQuery, (row) => showMovement(row, caller))
  }),
]
