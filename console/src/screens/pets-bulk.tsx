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

/** What can be done to all chosen pets at once. */
export function BulkBar({ chosen }: { chosen: Signal<ReadonlySet<number>> }) {
  const task = useSignal<Task | undefined>(undefined)
  const asking = useSignal(false)
  const ids = [...chosen.value]
  const setStatus = (status: string) => {
    task.value = {
      title: `Set ${pets(ids.length)} to ${status}`,
      ids,
      each: (id, signal) => store().pets.update(id, { status: status as PetStatus }, { signal }),
      done: (count) => `${pets(count)} set to ${status}`,
    }
  }
  const deleteAll = () => {
    asking.value = false
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
        <section class="bulk" aria-label="Chosen pets">
          <span>{pets(ids.length)} chosen</span>
          <select
            aria-label="Set the status of the chosen pets"
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
          <button type="button" class="quiet danger" onClick={() => (asking.value = true)}>
            Delete
          </button>
          <button type="button" class="quiet" onClick={() => (chosen.value = new Set())}>
            Choose none
          </button>
        </section>
      )}
      {asking.value && (
        <Dialog title={`Delete ${pets(ids.length)}?`} onClose={() => (asking.value = false)}>
          <p>This cannot be taken back. Pets with open orders are left as they are and reported.</p>
          <div class="form-foot">
            <button type="button" class="danger" onClick={deleteAll}>
              Delete {pets(ids.length)}
            </button>
            <button type="button" class="quiet" onClick={() => (asking.value = false)}>
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
            chosen.value = new Set()
          }}
        />
      )}
    </>
  )
}
