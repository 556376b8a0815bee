import { itemOf, orderOf, type Play, sorted } from './model-play.ts'

const given = <T extends object>(fields: T) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

export const storePlays = {
  getStock: {
    request: (_, { petId }) => ['GET', `/store/inventory/${petId}`],
    expected: (model, _, { petId }) =>
      model.pets.get(petId)?.stock === undefined ? 'inventory_not_found' : { body: itemOf(model, petId) },
  },
  setStock: {
    by: 'staff',
    request: ({ count }, { petId }) => ['PUT', `/store/inventory/${petId}`, { quantity: count }],
    expected: (model, { count }, { petId }) => {
      if (!model.pets.has(petId)) return 'pet_not_found'
      model.setStock(petId, count)
      return { body: itemOf(model, petId) }
    },
  },
  deleteStock: {
    by: 'staff',
    request: (_, { petId }) => ['DELETE', `/store/inventory/${petId}`],
    expected: (model, _, { petId }) => {
      if (model.pets.get(petId)?.stock === undefined) return 'inventory_not_found'
      model.setStock(petId, undefined)
      return undefined
    },
  },
  adjustStock: {
    by: 'staff',
    request: ({ delta }, { petId }) => ['POST', `/store/inventory/${petId}/adjustments`, { delta }],
    expected: (model, { delta }, { petId }) => model.adjust(petId, delta) ?? { body: itemOf(model, petId) },
  },
  placeOrder: {
    request: ({ quantity, complete }, { petId }) => ['POST', '/store/orders', { petId, quantity, complete }],
    expected: (model, { quantity, complete = false }, { petId, keyId }, id) =>
      model.place(id, { owner: keyId, petId, quantity, complete }) ?? { body: orderOf(model, id) },
  },
  getOrder: {
    request: (_, { orderId }) => ['GET', `/store/orders/${orderId}`],
    expected: (model, _, { orderId, owner }) =>
      model.order(orderId, owner) ? { body: orderOf(model, orderId) } : 'order_not_found',
  },
  listOrders: {
    request: ({ complete, descending }, { petId }) => [
      'GET',
      `/store/orders?limit=100&petId=${petId}${complete === undefined ? '' : `&complete=${complete}`}${descending ? '&sort=-id' : ''}`,
    ],
    expected: (model, step, { petId, owner }) =>
      sorted(
        [...model.orders.keys()]
          .filter((id) => model.order(id, owner)?.petId === petId)
          .map((id) => orderOf(model, id))
          .filter(({ complete }) => (step.complete ?? complete) === complete),
        step,
      ),
  },
  updateOrder: {
    request: ({ quantity, complete, descending }, { orderId }) => [
      'PATCH',
      `/store/orders/${orderId}`,
      { complete, ...(descending && { quantity }) },
    ],
    expected: (model, { quantity, complete, descending }, { orderId, owner }) =>
      model.changeOrder(orderId, owner, { ...given({ complete }), ...(descending && { quantity }) }) ?? {
        body: orderOf(model, orderId),
      },
  },
  cancelOrder: {
    request: (_, { orderId }) => ['DELETE', `/store/orders/${orderId}`],
    expected: (model, _, { orderId, owner }) => model.cancel(orderId, owner),
  },
} satisfies Record<string, Play>
