import { type InventoryItem, PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { createAttempts } from '../attempt.ts'
import { fieldsOf } from '../description.ts'
import { reloadScreens } from '../load.ts'
import { number } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { store } from '../session.ts'
import { useUnsaved } from '../unsaved.ts'

/** Edits a count in its row: plus one, minus one, or typed. Typed text is kept when the row reloads. */
export function StockEdit({ item, name }: { item: InventoryItem; name: string }) {
  const { petId, quantity } = item
  const typed = useSignal<string>()
  /** The count after the last change, until the row reloads. */
  const counted = useSignal<number>()
  useEffect(() => {
    counted.value = undefined
  }, [item])
  const displayed = typed.value ?? String(counted.value ?? quantity)
  const form = useRef<HTMLFormElement>(null)
  useUnsaved(form, () => typed.value !== undefined && typed.value !== String(counted.value ?? quantity))
  const isBusy = useSignal(false)
  const bounds = fieldsOf('InventoryUpdate').find((field) => field.name === 'quantity')
  // Once the row shows another count, the same button means another change.
  const attempt = useMemo(createAttempts, [quantity])
  async function send(change: () => Promise<InventoryItem>, sent?: string) {
    isBusy.value = true
    try {
      const now = await change()
      counted.value = now.quantity
      // Keep what the user typed meanwhile, and what was not sent.
      if (typed.value === sent) typed.value = undefined
      toast({ text: `${name}: ${number(now.quantity)} in stock.` })
      reloadScreens()
    } catch (error) {
      toastFailure(error, { petId })
    }
    isBusy.value = false
  }
  const { inventory } = store().store
  const adjust = (delta: number) => () =>
    send(() =>
      attempt(delta, (idempotencyKey) =>
        inventory.adjust(petId, { delta }, { idempotencyKey }).catch((error) => {
          // A pet whose inventory item was deleted has none left.
          if (!(error instanceof PetStoreError) || error.code !== 'inventory_not_found') throw error
          return inventory.set(petId, { quantity: delta }, { onlyNew: true })
        }),
      ),
    )
  return (
    <form
      ref={form}
      class="stepper"
      onSubmit={(event) => {
        event.preventDefault()
        send(() => inventory.set(petId, { quantity: Number(displayed) }), typed.value)
      }}
    >
      <button
        type="button"
        class="icon"
        aria-label={`Remove one ${name}`}
        disabled={isBusy.value || (counted.value ?? quantity) === 0}
        onClick={adjust(-1)}
      >
        −
      </button>
      <input
        type="number"
        required
        step={1}
        min={bounds?.min}
        max={bounds?.max}
        aria-label={`${name} in stock`}
        value={displayed}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <button type="button" class="icon" aria-label={`Add one ${name}`} disabled={isBusy.value} onClick={adjust(1)}>
        +
      </button>
      <button type="submit" class="quiet small" disabled={isBusy.value || displayed === String(quantity)}>
        Set
      </button>
    </form>
  )
}
