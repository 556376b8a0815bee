import { endOfDay, startOfDay } from '../local-time.ts'
import { PetPicker } from '../parts/pickers.tsx'
import { param, setParams } from '../router.ts'
import { hasScope } from '../session.ts'

/** The parameters of the address that select orders. */
export const orderParams = ['petId', 'complete', 'placedFrom', 'placedTo', 'sort'] as const

/** The filters in the address, as the API takes them. */
export function orderFilters() {
  const [petId, complete, placedFrom, placedTo, sort] = orderParams.map(param)
  const [from, to] = [startOfDay(placedFrom ?? ''), endOfDay(placedTo ?? '')]
  return {
    ...(petId && { petId: Number(petId) }),
    ...(complete && { complete: complete === 'true' }),
    ...(from && { placedFrom: from }),
    ...(to && { placedTo: to }),
    ...(sort && { sort: sort as 'id' }),
  }
}

/** The same, but only open orders. */
export const openOrderFilters = () => ({ ...orderFilters(), complete: false })

/** Only orders of one pet, for those who can find it by name. */
export const OrderedPet = () =>
  hasScope('pets:read') ? (
    <PetPicker
      label="Pet"
      placeholder="Any pet"
      value={Number(param('petId')) || undefined}
      onChange={(id) => setParams({ petId: id ? String(id) : undefined })}
    />
  ) : null
