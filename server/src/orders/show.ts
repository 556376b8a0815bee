import type { OrderRow } from '../db/tables.ts'

/** An order as clients see it. */
export const showOrder = ({ id, pet_id, quantity, ship_date, complete }: OrderRow) => ({
  id,
  petId: pet_id,
  quantity,
  ...(ship_date !== null && { shipDate: new Date(ship_date).toISOString() }),
  complete: complete === 1,
})
