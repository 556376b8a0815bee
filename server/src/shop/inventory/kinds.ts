import { defineErrors } from '../../platform/api/errors.ts'

export const inventoryErrors = defineErrors({
  inventory_not_found: {
    status: 404,
    title: 'The pet has no inventory item.',
    advice: 'Create one with PUT /store/inventory/{petId}.',
  },
})
