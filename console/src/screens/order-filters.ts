import { param } from '../router.ts'
import { endOfDay, startOfDay } from './start-of-day.ts'

/** The parameters of the address that select orders. */
export const orderParams = ['petId', 'complete', 'placedFrom', 'placedTo', 'sort'] as const

/** The filters in the address, as the API takes them. */
export function orderFilters() {
  const [petId, complete, placedFrom, placedTo, sort] = orderParams.map(param)
  return {
    ...(petId && { petId: Number(petId) }),
    ...(complete && { complete: complete === 'true' }),
    ...(placedFrom && { placedFrom: startOfDay(placedFrom) }),
    ...(placedTo && { placedTo: endOfDay(placedTo) }),
    ...(sort && { sort: sort as 'id' }),
  }
}

/** The same, but only open orders. */
export const openOrderFilters = () => ({ ...orderFilters(), complete: false })
