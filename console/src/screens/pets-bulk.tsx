import { type Signal, useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { choicesOf } from '../description.ts'
import { Progress } from '../parts/progress.tsx'
import { number } from '../parts/time.tsx'
import { toastFailure } from '../parts/toasts.tsx'
import { hasScope, store } from '../session.ts'
import { petFilters } from './pet-filters.ts'
import { BulkDialog, type BulkDialogName } from './pets-bulk-dialogs.tsx'
import { type BulkTask, countPets, setStatus } from './pets-bulk-tasks.ts'

interface Props {
  readonly selected: Signal<ReadonlySet<number>>
  /** Whether pets that are not on this page match the filters too. */
  readonly hasMore: boolean
  readonly total: string | undefined
}

/** Actions for all selected pets. */
export function BulkBar({ selected, hasMore, total }: Props) {
  const task = useSignal<BulkTask | undefined>(undefined)
  const dialog = useSignal<BulkDialogName | undefined>(undefined)
  const ids = [...selected.value]
  const open = (name: BulkDialogName) => () => {
    dialog.value = name
  }
  return (
    <>
      {ids.length > 0 && (
        <section class="bulk" aria-label="Selected pets">
          <span role="status">{countPets(ids.length)} selected</span>
          {hasMore && <SelectMatching selected={selected} total={total} />}
          <select
            aria-label="Set status of the selected pets"
            value=""
            onChange={(event) => {
              const status = event.currentTarget.value
              event.currentTarget.value = ''
              if (status) task.value = setStatus(ids, status)
            }}
          >
            <option value="">Set status…</option>
            {choicesOf('PetStatus').map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </select>
          <button type="button" class="quiet" onClick={open('category')}>
            Move to…
          </button>
          {hasScope('inventory:write') && (
            <button type="button" class="quiet" onClick={open('stock')}>
              Set stock…
            </button>
          )}
          <button type="button" class="quiet danger" onClick={open('delete')}>
            Delete
          </button>
          <button type="button" class="quiet" onClick={() => (selected.value = new Set())}>
            Clear selection
          </button>
        </section>
      )}
      {dialog.value && (
        <BulkDialog
          name={dialog.value}
          ids={ids}
          onClose={() => (dialog.value = undefined)}
          onConfirm={(confirmed) => {
            dialog.value = undefined
            task.value = confirmed
          }}
        />
      )}
      {task.value && (
        <Progress
          {...task.value}
          items={task.value.ids}
          nameOf={(id) => `Pet ${id}`}
          aboutOf={(petId) => ({ petId })}
          onClose={() => {
            task.value = undefined
            selected.value = new Set()
          }}
        />
      )}
    </>
  )
}

/** Reads the ids of all pets that match the filters now, and selects them. */
function SelectMatching({ selected, total }: Omit<Props, 'hasMore'>) {
  const count = useSignal<number | undefined>(undefined)
  const reading = useRef<AbortController | undefined>(undefined)
  async function read() {
    reading.current = new AbortController()
    const { signal } = reading.current
    const found = new Set<number>()
    count.value = 0
    try {
      for await (const { items } of store()
        .pets.list({ ...petFilters(), limit: 100 }, { signal })
        .pages()) {
        for (const { id } of items) found.add(id)
        count.value = found.size
      }
      selected.value = found
    } catch (error) {
      if (!signal.aborted) toastFailure(error)
    }
    count.value = undefined
  }
  if (count.value === undefined) {
    return (
      <button type="button" class="quiet" onClick={read}>
        Select all{total && ` ${total}`} that match
      </button>
    )
  }
  return (
    <button type="button" class="quiet" onClick={() => reading.current?.abort()}>
      Stop, {number(count.value)} found
    </button>
  )
}
