import { defineErrors } from '../../platform/api/errors.ts'
import { defineEvents } from '../../platform/events/types.ts'

export const petErrors = defineErrors({
  pet_not_found: { status: 404, title: 'There is no pet with this id.', advice: 'List the pets to find its id.' },
  insufficient_stock: {
    status: 409,
    title: 'There is not enough in stock.',
    advice: 'Request a smaller quantity, or wait until more is in stock.',
  },
  stock_limit: {
    status: 409,
    title: 'There would be more in stock than a count can hold.',
    advice: 'Add less. For an order: lower the stock count first, then cancel or lower the order.',
  },
  pet_has_open_orders: {
    status: 409,
    title: 'The pet has open orders.',
    advice: 'Complete or cancel them first.',
  },
  invalid_status_transition: {
    status: 409,
    title: 'The pet cannot change from its current status to the requested one.',
    advice: 'Change the stock first, or set another status.',
  },
  unknown_pet: {
    status: 422,
    title: 'The body refers to a pet that does not exist.',
    advice: 'List the pets to find one that exists.',
  },
})

export const petEvents = defineEvents('pet', ['created', 'updated', 'deleted'])

export const stockEvents = defineEvents('inventory', ['changed', 'depleted'])
