import { type Signal, useSignal } from '@preact/signals'
import { BulkBar, type BulkTask, runLater } from '../parts/bulk.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { oneByOne } from '../parts/progress.tsx'
import { RequestCost } from '../parts/request-cost.tsx'
import { number } from '../parts/time.tsx'
import { store, storeForLongTasks } from '../session.ts'
import { openOrderFilters } from './order-filters.tsx'

type Ids = readonly number[]

const changes = {
  Complete: {
    verb: 'completed',
    about: 'Completed orders cannot be changed or cancelled.',
    send: (id: number, signal: AbortSignal) =>
      storeForLongTasks().store.orders.update(id, { complete: true }, { signal }),
  },
  Cancel: {
    verb: 'cancelled',
    about: 'Their stock is returned.',
    send: (id: number, signal: AbortSignal) => storeForLongTasks().store.orders.cancel(id, { signal }),
  },
} as const

type Change = keyof typeof changes

/** The pending change of many orders, as in pending.ts. */
const pendingId = 'selected orders'

const countOrders = (count: number): string => (count === 1 ? '1 order' : `${number(count)} orders`)

interface Props {
  readonly selected: Signal<ReadonlySet<number>>
  /** Whether orders that are not on this page match the filters too. */
  readonly hasMore: boolean
}

/** Only open orders can be changed. */
const matchingOrders = (signal: AbortSignal) =>
  store()
    .store.orders.list({ ...openOrderFilters(), limit: 100 }, { signal })
    .pages()

/** Actions for all selected orders, which are open. */
export function OrdersBulkBar({ selected, hasMore }: Props) {
  const asked = useSignal<Change | undefined>(undefined)
  const ids = [...selected.value]
  const clear = () => {
    selected.value = new Set()
  }
  return (
    <>
      <BulkBar
        label="Selected orders"
        selected={selected}
        count={countOrders}
        pendingId={pendingId}
        matching={hasMore ? matchingOrders : undefined}
      >
        <button type="button" class="quiet" onClick={() => (asked.value = 'Complete')}>
          Complete
        </button>
        <button type="button" class="quiet danger" onClick={() => (asked.value = 'Cancel')}>
          Cancel orders
        </button>
      </BulkBar>
      {asked.value && (
        <Confirm
          change={asked.value}
          count={ids.length}
          onClose={() => (asked.value = undefined)}
          onConfirm={(change) => {
            asked.value = undefined
            runLater(taskFor(change, ids), { pendingId, kind: 'order', verb: changes[change].verb, onStart: clear })
          }}
        />
      )}
    </>
  )
}

interface ConfirmProps {
  readonly change: Change
  readonly count: number
  readonly onClose: () => void
  readonly onConfirm: (change: Change) => void
}

const Confirm = ({ change, count, onClose, onConfirm }: ConfirmProps) => (
  <Dialog title={`${change} ${countOrders(count)}?`} onClose={onClose}>
    <p>{changes[change].about} You can undo it for a few seconds.</p>
    <RequestCost requests={count} />
    <div class="form-foot">
      <button type="button" class={change === 'Cancel' ? 'danger' : undefined} onClick={() => onConfirm(change)}>
        {change} {countOrders(count)}
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Back
      </button>
    </div>
  </Dialog>
)

const taskFor = (change: Change, ids: Ids): BulkTask => ({
  title: `${change} ${countOrders(ids.length)}`,
  ids,
  nameOf: (id) => `Order ${id}`,
  run: oneByOne(changes[change].send),
  done: (count) => `${countOrders(count)} ${changes[change].verb}`,
})
