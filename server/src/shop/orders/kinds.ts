import { defineErrors } from '../../platform/api/errors.ts'
import { defineEvents } from '../../platform/events/types.ts'

export const orderErrors = defineErrors({
  order_not_found: {
    status: 404,
    title: 'There is no order with this id that you may see.',
    advice:
      'List your orders to find its id. Orders belong to the key that placed them; only keys with `orders:all` see those of others.',
  },
  pet_not_available: {
    status: 409,
    title: 'The pet is pending or sold and cannot be ordered.',
    advice: 'Order another pet, or wait until this one is available again.',
  },
  order_complete: {
    status: 409,
    title: 'The order is completed.',
    advice: 'Completed orders cannot be changed or cancelled: place a new order instead.',
  },
})

export const orderEvents = defineEvents('order', ['placed', 'updated', 'completed', 'cancelled'])
