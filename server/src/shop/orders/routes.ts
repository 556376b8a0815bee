import { keyset, page } from '../../platform/api/list-page.ts'
import { type Caller, created, noContent, ok, type Route, read, write } from '../../platform/api/operation.ts'
import { after } from '../../platform/lib/awaitable.ts'
import { petLock } from '../pets/lock.ts'
import { cancelOrder } from './cancel.ts'
import { changeOrder } from './change.ts'
import { findHistory, hasExisted, historySorts } from './history.ts'
import { orderNotFound, ownerFor } from './lock.ts'
import * as operations from './operations.ts'
import { placeOrder } from './place.ts'
import { showEvent, showOrderTo } from './show.ts'
import type { OrderRow } from './store.ts'
import * as store from './store.ts'

const orderCreated = (order: OrderRow, caller: Caller) =>
  created(showOrderTo(order, caller), `/store/orders/${order.id}`)

export const orderRoutes: Route[] = [
  read(operations.listOrders, async (db, { query, caller }) => {
    const sort = store.sortFor(query.sort ?? 'id', query)
    const pageQuery = keyset(operations.listOrders, query, store.orderSorts, sort)
    return page(await store.findOrders(db, ownerFor(caller), query, pageQuery), pageQuery, (order) =>
      showOrderTo(order, caller),
    )
  }),

  write(
    operations.placeOrder,
    (tx, input) => after(placeOrder(tx, input, input.body), (order) => orderCreated(order, input.caller)),
    { first: ({ body }) => ({ lock: petLock, id: body.petId, newIdIn: 'orders' }) },
  ),

  read(operations.getOrder, async (db, { params, caller }) => {
    const order = await store.findOrder(db, ownerFor(caller), params.orderId)
    if (!order) throw orderNotFound(params.orderId)
    return ok(showOrderTo(order, caller))
  }),

  write(operations.updateOrder, async (tx, input) =>
    ok(showOrderTo(await changeOrder(tx, input, input.params.orderId, input.body), input.caller)),
  ),

  write(operations.cancelOrder, async (tx, input) => {
    await cancelOrder(tx, input, input.params.orderId)
    return noContent()
  }),

  read(operations.listOrderHistory, async (db, { params, query, caller }) => {
    const owner = ownerFor(caller)
    const pageQuery = keyset(operations.listOrderHistory, query, historySorts, '-id', params)
    const found = await findHistory(db, owner, params.orderId, pageQuery)
    if (found.rows.length === 0 && !(await hasExisted(db, owner, params.orderId))) throw orderNotFound(params.orderId)
    return page(found, pageQuery, (row) => showEvent(row, caller))
  }),
]
