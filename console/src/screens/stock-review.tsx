import type { StockCount } from '@petstore/sdk'
import { batchSizeFor } from '@petstore/sdk/pet-files'
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { reloadScreens, useLoad } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { RequestCost } from '../parts/request-cost.tsx'
import { Failure, Show } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { number } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { store, storeForLongTasks } from '../session.ts'
import { countPets } from './pets-bulk-tasks.ts'
import { type Counted, Difference, differenceOf } from './stock-difference.tsx'

interface Props {
  readonly counted: readonly Counted[]
  /** Called with the counts that are about to be sent. */
  readonly onSend: (counts: readonly StockCount[]) => void
  /** Called with the pets whose counts are saved. */
  readonly onSaved: (petIds: readonly number[]) => void
  readonly onClose: () => void
}

/** A difference, and the count that results from it. */
interface Correction extends Counted {
  /** The stock on record now; undefined if the pet is deleted. */
  readonly now: number | undefined
  readonly quantity: number
}

/** Shows the differences of a stock-take, and saves them together. */
export function StockReview({ counted, onSend, onSaved, onClose }: Props) {
  /** With what was sent by now. */
  const latest = useRef(counted)
  latest.current = counted
  const corrections = useLoad(counted.map(({ petId }) => petId).join(), (signal) =>
    findCorrections(latest.current, signal),
  )
  const isBusy = useSignal(false)
  const error = useSignal<unknown>(undefined)
  async function save(all: readonly Correction[]) {
    isBusy.value = true
    error.value = undefined
    try {
      const counts = all.flatMap(({ petId, now, quantity }) => (now === undefined ? [] : [{ petId, quantity }]))
      onSend(counts)
      await setAll(counts, onSaved)
      onSaved(all.map(({ petId }) => petId))
      toast({ text: `The stock of ${countPets(counts.length)} was corrected.` })
      onClose()
    } catch (failure) {
      error.value = failure
    }
    isBusy.value = false
    reloadScreens()
  }
  return (
    <Dialog title="Review the differences" onClose={onClose} wide>
      <Show of={corrections}>
        {(all) => (
          <>
            <Table label="Differences" rows={all} idOf={({ petId }) => petId} columns={columns} />
            <RequestCost requests={all.length} />
            {error.value !== undefined && <Failure error={error.value} />}
            <div class="form-foot">
              <button type="button" disabled={isBusy.value} onClick={() => save(all)}>
                {isBusy.value ? 'Saving…' : `Save ${countPets(all.length)}`}
              </button>
              <button type="button" class="quiet" onClick={onClose}>
                Continue counting
              </button>
            </div>
          </>
        )}
      </Show>
    </Dialog>
  )
}

const isSaved = ({ sent }: Counted, now: number | undefined): boolean => sent !== undefined && sent.quantity === now

/** What happened since a pet was counted. */
function describeSince(counted: Correction): string | undefined {
  const { recorded, now } = counted
  if (now === undefined) return 'deleted since it was counted; it is left out'
  if (isSaved(counted, now)) return 'saved already'
  if (now === recorded) return undefined
  return `sold or changed since it was counted: ${number(recorded)} were on record, now ${number(now)}`
}

const columns = [
  {
    title: 'Pet',
    long: true,
    cell: (counted: Correction) => (
      <>
        <span class="name" dir="auto">
          {counted.name}
        </span>
        <small class="soft block">{describeSince(counted)}</small>
      </>
    ),
  },
  { title: 'Counted', numeric: true, cell: ({ typed }: Correction) => number(Number(typed)) },
  { title: 'Difference', numeric: true, cell: (counted: Correction) => <Difference value={differenceOf(counted)} /> },
  {
    title: 'New count',
    numeric: true,
    cell: ({ now, quantity }: Correction) => (now === undefined ? '–' : number(quantity)),
  },
]

const idsMax = 100

const inBatches = <T,>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))

/** A pet that was sold after it was counted stays sold: the difference is applied to what is on record now. */
async function findCorrections(counted: readonly Counted[], signal: AbortSignal): Promise<Correction[]> {
  const stock = new Map<number, number>()
  for (const batch of inBatches(counted, idsMax)) {
    const ids = batch.map(({ petId }) => petId)
    for (const pet of await store().pets.profiles({ ids, limit: idsMax }, { signal }).toArray()) {
      stock.set(pet.id, pet.stock)
    }
  }
  return counted.map((one) => {
    const now = stock.get(one.petId)
    // If that is what was sent, it was saved, and only the response was lost: what was typed since is the difference.
    const difference = one.sent && isSaved(one, now) ? Number(one.typed) - Number(one.sent.typed) : differenceOf(one)
    return { ...one, now, quantity: Math.max(0, (now ?? 0) + difference) }
  })
}

async function setAll(counts: readonly StockCount[], onSaved: Props['onSaved']): Promise<void> {
  for (const batch of inBatches(counts, batchSizeFor(storeForLongTasks()))) {
    await storeForLongTasks().store.inventory.setMany(batch)
    onSaved(batch.map(({ petId }) => petId))
  }
}
