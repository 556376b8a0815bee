import type { InventoryItem } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { fieldsOf } from '../description.ts'
import { changed } from '../load.ts'
import { number } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { store } from '../session.ts'

/** A count in its row: one more, one less, or typed. */
export function StockEdit({ item: { petId, quantity }, name }: { item: InventoryItem; name: string }) {
  const typed = useSignal(String(quantity))
  const busy = useSignal(false)
  const bounds = fieldsOf('InventoryUpdate').find((field) => field.name === 'quantity')
  async function send(change: () => Promise<InventoryItem>) {
    busy.value = true
    try {
      const now = await change()
      toast({ text: `${name}: ${number(now.quantity)} in stock.` })
      changed()
    } catch (error) {
      typed.value = String(quantity)
      toastFailure(error, { petId })
    }
    busy.value = false
  }
  const { inventory } = store().store
  const adjust = (delta: number) => () => send(() => inventory.adjust(petId, { delta }))
  return (
    <form
      class="stepper"
      onSubmit={(event) => {
        event.preventDefault()
        send(() => inventory.set(petId, Number(typed.value)))
      }}
    >
      <button
        type="button"
        class="icon"
        aria-label={`One ${name} less`}
        disabled={busy.value || quantity === 0}
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
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <button type="button" class="icon" aria-label={`One ${name} more`} disabled={busy.value} onClick={adjust(1)}>
        +
      </button>
      <button type="submit" class="quiet small" disabled={busy.value || typed.value === String(quantity)}>
        Set
      </button>
    </form>
  )
}
