import type { PetProfile } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens } from '../load.ts'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { hasScope, store } from '../session.ts'

type Held = Pick<PetProfile, 'id' | 'name' | 'status' | 'stock'>

/**
 * Lets the status follow the stock again. Setting the status that the stock implies ends a hold: with something in stock that is
 * `available`, otherwise `pending` if there are open orders, or else `sold`.
 */
async function release({ id, status, stock }: Held): Promise<PetProfile> {
  const { pets } = store()
  await pets.update(id, { status: stock > 0 ? 'available' : status })
  const now = await pets.profile(id)
  if (!now.held || now.status !== 'pending') return now
  await pets.update(id, { status: 'sold' })
  return pets.profile(id)
}

/** Says that the status is held by hand, and lets the user release it. */
export function Hold({ pet }: { pet: Held }) {
  const isBusy = useSignal(false)
  async function onClick() {
    isBusy.value = true
    try {
      const { held, status } = await release(pet)
      const text = held
        ? `${pet.name} stays ${status}: it has open orders and nothing in stock. Complete or cancel them, or add stock.`
        : `${pet.name} follows its stock again: ${status}.`
      toast(held ? { text, tone: 'bad' } : { text })
      reloadScreens()
    } catch (error) {
      toastFailure(error, { petId: pet.id })
    }
    isBusy.value = false
  }
  return (
    <p class="hold">
      Held by hand: it does not follow the stock, and cannot be ordered.{' '}
      {hasScope('pets:write') && (
        <button type="button" class="quiet small" disabled={isBusy.value} onClick={onClick}>
          Release
        </button>
      )}
    </p>
  )
}
