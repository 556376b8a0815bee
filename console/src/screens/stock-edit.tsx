import type { InventoryItem } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { fieldsOf } from '../description.ts'
import { changed } from '../load.ts'
import { number } from '../parts/time.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { store } from '../session.ts'

/** A count in its row: one more, one less, or typed. What is being typed stays when the row is loaded anew. */
export function StockEdit({ item: { petId, quantity }, name }: { item: InventoryItem; name: string }) {
  const typed = useSignal<string>()
  /** What the last change made of it, until the row is loaded anew. */
  const counted = useSignal<number>()
  useEffect(() => {
    counted.value = undefined
  }, [quantity])
  const shown = typed.value ?? String(counted.value ?? quantity)
  const busy = useSignal(false)
  const bounds = fieldsOf('InventoryUpdate').find((field) => field.name === 'quantity')
  async function send(change: () => Promise<InventoryItem>) {
    const sent = typed.value
    busy.value = true
    try {
      const now = await change()
      counted.value = now.quantity
      toast({ text: `${name}: ${number(now.quantity)} in stock.` })
      changed()
    } catch (error) {
      toastFailure(error, { petId })
    }
    // Whoever has typed on meanwhile keeps it.
    if (typed.value === sent) typed.value = undefined
    busy.value = false
  }
  const { inventory } = store().store
  const adjust = (delta: number) => () => send(() => inventory.adjust(petId, { delta }))
  return (
    <form
      class="stepper"
      onSubmit={(event) => {
        event.preventDefault()
        send(() => inventory.set(petId, Number(shown)))
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
        value={shown}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <button type="button" class="icon" aria-label={`One ${name} more`} disabled={busy.value} onClick={adjust(1)}>
        +
      </button>
      <button type="submit" class="quiet small" disabled={busy.value || shown === String(quantity)}>
        Set
      </button>
    </form>
  )
}
