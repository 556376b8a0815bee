import type { InventoryItem, StockCount } from '@petstore/sdk'
import { type Signal, useSignal, useSignalEffect } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { consoleRoot } from '../base-url.ts'
import { fieldsOf } from '../description.ts'
import type { Column } from '../parts/table.tsx'
import { number } from '../parts/time.tsx'
import type { WithPetName } from '../pet-labels.ts'
import { setParams } from '../router.ts'
import { confirmLoss, useUnsaved } from '../unsaved.ts'
import { type Counted, Difference, differenceOf } from './stock-difference.tsx'
import { StockReview } from './stock-review.tsx'

export type StockRow = WithPetName<InventoryItem>

/** What was counted so far, by pet: other pages and searches keep it. */
type Counts = ReadonlyMap<number, Counted>

// Sandboxes share an origin, and have different pets.
const storageName = `petstore.stock-take ${consoleRoot}`

/** The counts outlive a reload of the page, but not the screen. */
export function useCounts(): Signal<Counts> {
  const counts = useSignal<Counts>(new Map(JSON.parse(sessionStorage.getItem(storageName) ?? '[]')))
  useSignalEffect(() => sessionStorage.setItem(storageName, JSON.stringify([...counts.value])))
  useEffect(() => () => sessionStorage.removeItem(storageName), [])
  return counts
}

const isCount = (typed: string): boolean => {
  const { max = 0 } = fieldsOf('InventoryUpdate').find(({ name }) => name === 'quantity') ?? {}
  return /^\d+$/.test(typed) && Number(typed) <= max
}

/** Whether any count would be lost. */
export const isUnsaved = (counts: Counts): boolean =>
  [...counts.values()].some((counted) => !isCount(counted.typed) || differenceOf(counted) !== 0)

/** The columns of a stock-take: what is on record, what was counted, and the difference. */
export const countColumns = (counts: Signal<Counts>): Column<StockRow>[] => [
  { title: 'On record', numeric: true, minor: true, cell: ({ quantity }) => number(quantity) },
  { title: 'Counted', numeric: true, fixed: true, cell: (row) => <CountField row={row} counts={counts} /> },
  {
    title: 'Difference',
    numeric: true,
    cell: ({ petId }) => {
      const counted = counts.value.get(petId)
      return counted && isCount(counted.typed) && <Difference value={differenceOf(counted)} />
    },
  },
]

/** A text field: arrow keys and the wheel would change the count in a field for numbers. */
function CountField({ row, counts }: { row: StockRow; counts: Signal<Counts> }) {
  const { petId, quantity, petName: name = `pet ${row.petId}` } = row
  const counted = counts.value.get(petId)
  const onInput = (typed: string) => {
    const next = new Map(counts.value)
    if (typed === '') next.delete(petId)
    else next.set(petId, { recorded: quantity, ...counted, petId, name, typed })
    counts.value = next
  }
  return (
    <input
      class="count"
      inputMode="numeric"
      autocomplete="off"
      aria-label={`${name} counted`}
      aria-invalid={counted !== undefined && !isCount(counted.typed)}
      value={counted?.typed ?? ''}
      onInput={(event) => onInput(event.currentTarget.value.trim())}
      onKeyDown={moveInTheList}
    />
  )
}

const steps: Readonly<Record<string, number>> = { Enter: 1, ArrowDown: 1, ArrowUp: -1 }

function moveInTheList(event: KeyboardEvent): void {
  const step = steps[event.key]
  if (step === undefined || !(event.currentTarget instanceof HTMLInputElement)) return
  event.preventDefault()
  const fields = [...document.querySelectorAll<HTMLInputElement>('input.count')]
  const next = fields[fields.indexOf(event.currentTarget) + step]
  next?.focus()
  next?.select()
}

/** Shows how far the stock-take has got, and lets the user end it. */
export function StockTake({ counts }: { counts: Signal<Counts> }) {
  const bar = useRef<HTMLElement>(null)
  const isReviewing = useSignal(false)
  const all = [...counts.value.values()]
  const invalid = all.filter(({ typed }) => !isCount(typed))
  const different = all.filter((counted) => isCount(counted.typed) && differenceOf(counted) !== 0)
  useUnsaved(bar, () => isUnsaved(counts.value))
  const forget = (petIds: readonly number[]) => {
    counts.value = new Map([...counts.value].filter(([petId]) => !petIds.includes(petId)))
  }
  const rememberSent = (sent: readonly StockCount[]) => {
    const all = new Map(counts.value)
    for (const { petId, quantity } of sent) {
      const counted = all.get(petId)
      if (counted) all.set(petId, { ...counted, sent: { quantity, typed: counted.typed } })
    }
    counts.value = all
  }
  const stop = () => {
    counts.value = new Map()
    setParams({ mode: undefined })
  }
  return (
    <section ref={bar} class="bulk" aria-label="Stock-take">
      {all.length === 0 ? (
        <span>Type what you count. Enter goes down the list; nothing is saved until you review it.</span>
      ) : (
        <strong>
          {number(all.length)} counted, {number(different.length)} {different.length === 1 ? 'differs' : 'differ'}
        </strong>
      )}
      {invalid.length > 0 && (
        <span class="fault" role="alert">
          {invalid.map(({ name }) => name).join(', ')}: type a whole number.
        </span>
      )}
      <button
        type="button"
        class="small"
        disabled={different.length === 0 || invalid.length > 0}
        onClick={() => (isReviewing.value = true)}
      >
        Review differences
      </button>
      <button type="button" class="quiet small" onClick={() => confirmLoss(stop, (form) => form === bar.current)}>
        Stop counting
      </button>
      {isReviewing.value && (
        <StockReview
          counted={different}
          onClose={() => (isReviewing.value = false)}
          onSend={rememberSent}
          onSaved={forget}
        />
      )}
    </section>
  )
}
