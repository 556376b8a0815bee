import { type Signal, useSignal } from '@preact/signals'
import { choicesOf } from '../description.ts'
import { BulkBar, type BulkTask, runLater, runningTask } from '../parts/bulk.tsx'
import { hasScope, store } from '../session.ts'
import { petFilters } from './pet-filters.ts'
import { BulkDialog, type BulkDialogName } from './pets-bulk-dialogs.tsx'
import { countPets, deletePets, petNames, setStatus } from './pets-bulk-tasks.ts'

/** The pending deletion of many pets, as in pending.ts. */
const pendingId = 'selected pets'

interface Props {
  readonly selected: Signal<ReadonlySet<number>>
  /** Whether pets that are not on this page match the filters too. */
  readonly hasMore: boolean
  readonly total: string | undefined
}

/** All pets that match the filters now, whose names are remembered. */
async function* matchingPets(signal: AbortSignal) {
  for await (const page of store()
    .pets.list({ ...petFilters(), limit: 100 }, { signal })
    .pages()) {
    for (const { id, name } of page.items) petNames.set(id, name)
    yield page
  }
}

/** Actions for all selected pets. */
export function PetsBulkBar({ selected, hasMore, total }: Props) {
  const dialog = useSignal<BulkDialogName | undefined>(undefined)
  const ids = [...selected.value]
  const clear = () => {
    selected.value = new Set()
  }
  const run = (task: BulkTask) => {
    clear()
    runningTask.value = task
  }
  const open = (name: BulkDialogName) => () => {
    dialog.value = name
  }
  return (
    <>
      <BulkBar
        label="Selected pets"
        selected={selected}
        count={countPets}
        pendingId={pendingId}
        matching={hasMore ? matchingPets : undefined}
        total={total}
      >
        <StatusChoice onSet={(status) => run(setStatus(ids, status))} />
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
      </BulkBar>
      {dialog.value && (
        <BulkDialog
          name={dialog.value}
          ids={ids}
          onClose={() => (dialog.value = undefined)}
          onConfirm={(task) => {
            dialog.value = undefined
            run(task)
          }}
          onDelete={() => {
            dialog.value = undefined
            runLater(deletePets(ids), { pendingId, kind: 'pet', verb: 'deleted', onStart: clear })
          }}
        />
      )}
    </>
  )
}

/** Arrow keys choose in a list, so choosing does not change anything yet. */
function StatusChoice({ onSet }: { onSet: (status: string) => void }) {
  const status = useSignal('')
  return (
    <>
      <select
        aria-label="Set status of the selected pets"
        value={status.value}
        onChange={(event) => (status.value = event.currentTarget.value)}
      >
        <option value="">Set status…</option>
        {choicesOf('PetStatus').map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {status.value && (
        <button type="button" class="quiet" onClick={() => onSet(status.value)}>
          Set to {status.value}
        </button>
      )}
    </>
  )
}
