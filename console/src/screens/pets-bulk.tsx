import type { PetStatus } from '@petstore/sdk'
import { type Signal, useSignal } from '@preact/signals'
import { choicesOf } from '../description.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Progress } from '../parts/progress.tsx'
import { number } from '../parts/time.tsx'
import { store } from '../session.ts'

interface Task {
  readonly title: string
  readonly ids: readonly number[]
  readonly each: (id: number, signal: AbortSignal) => Promise<unknown>
  readonly done: (count: number) => string
}

const pets = (count: number): string => (count === 1 ? '1 pet' : `${number(count)} pets`)

/** Actions for all selected pets. */
export function BulkBar({ selected }: { selected: Signal<ReadonlySet<number>> }) {
  const task = useSignal<Task | undefined>(undefined)
  const isConfirming = useSignal(false)
  const ids = [...selected.value]
  const setStatus = (status: string) => {
    task.value = {
      title: `Set ${pets(ids.length)} to ${status}`,
      ids,
      each: (id, signal) => store().pets.update(id, { status: status as PetStatus }, { signal }),
      done: (count) => `${pets(count)} set to ${status}`,
    }
  }
  const deleteAll = () => {
    isConfirming.value = false
    task.value = {
      title: `Delete ${pets(ids.length)}`,
      ids,
      each: (id, signal) => store().pets.delete(id, { signal }),
      done: (count) => `${pets(count)} deleted`,
    }
  }
  return (
    <>
      {ids.length > 0 && (
        <section class="bulk" aria-label="Selected pets">
          <span>{pets(ids.length)} selected</span>
          <select
            aria-label="Set status of the selected pets"
            value=""
            onChange={(event) => {
              const status = event.currentTarget.value
              event.currentTarget.value = ''
              if (status) setStatus(status)
            }}
          >
            <option value="">Set status…</option>
            {choicesOf('PetStatus').map((status) => (
              <option key={status} value={status}>
                {status}
              </option>
            ))}
          </select>
          <button type="button" class="quiet danger" onClick={() => (isConfirming.value = true)}>
            Delete
          </button>
          <button type="button" class="quiet" onClick={() => (selected.value = new Set())}>
            Clear selection
          </button>
        </section>
      )}
      {isConfirming.value && (
        <Dialog title={`Delete ${pets(ids.length)}?`} onClose={() => (isConfirming.value = false)}>
          <p>This cannot be undone. Pets with open orders are kept and reported.</p>
          <div class="form-foot">
            <button type="button" class="danger" onClick={deleteAll}>
              Delete {pets(ids.length)}
            </button>
            <button type="button" class="quiet" onClick={() => (isConfirming.value = false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      )}
      {task.value && (
        <Progress
          title={task.value.title}
          items={task.value.ids}
          nameOf={(id) => `Pet ${id}`}
          aboutOf={(petId) => ({ petId })}
          each={task.value.each}
          done={task.value.done}
          onClose={() => {
            task.value = undefined
            selected.value = new Set()
          }}
        />
      )}
    </>
  )
}
