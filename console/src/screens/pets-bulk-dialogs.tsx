import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import { fieldsOf } from '../description.ts'
import type { BulkTask } from '../parts/bulk.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { CategoryPicker } from '../parts/pickers.tsx'
import { RequestCost } from '../parts/request-cost.tsx'
import { countPets, moveToCategory, setStock } from './pets-bulk-tasks.ts'

interface Props {
  readonly ids: readonly number[]
  readonly onConfirm: (task: BulkTask) => void
  readonly onDelete: () => void
  readonly onClose: () => void
}

export type BulkDialogName = keyof typeof dialogs

/** Asks for the values that a change to many pets needs. */
export function BulkDialog({ name, ...props }: Props & { name: BulkDialogName }) {
  const Named = dialogs[name]
  return <Named {...props} />
}

function MoveToCategory({ ids, onConfirm, onClose }: Props) {
  const id = useId()
  const category = useSignal<{ id: number; name: string } | undefined>(undefined)
  return (
    <Dialog title={`Move ${countPets(ids.length)}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          if (category.value) onConfirm(moveToCategory(ids, category.value.id, category.value.name))
        }}
      >
        <div class="field">
          <label for={id}>Category</label>
          <CategoryPicker
            id={id}
            required
            canCreate
            placeholder="Search by name"
            value={category.value?.id}
            onChange={(chosen, name = '') => (category.value = chosen ? { id: chosen, name } : undefined)}
          />
        </div>
        <RequestCost requests={ids.length} />
        <Foot submit="Move" onClose={onClose} />
      </form>
    </Dialog>
  )
}

function SetStock({ ids, onConfirm, onClose }: Props) {
  const id = useId()
  const typed = useSignal('')
  const bounds = fieldsOf('InventoryUpdate').find((field) => field.name === 'quantity')
  return (
    <Dialog title={`Set the stock of ${countPets(ids.length)}`} onClose={onClose}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault()
          onConfirm(setStock(ids, Number(typed.value)))
        }}
      >
        <div class="field">
          <label for={id}>In stock, of each</label>
          <input
            id={id}
            type="number"
            required
            step={1}
            min={bounds?.min}
            max={bounds?.max}
            value={typed.value}
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </div>
        <RequestCost requests={ids.length} />
        <Foot submit="Set" onClose={onClose} />
      </form>
    </Dialog>
  )
}

const Delete = ({ ids, onDelete, onClose }: Props) => (
  <Dialog title={`Delete ${countPets(ids.length)}?`} onClose={onClose}>
    <p>You can undo it for a few seconds. Pets with open orders are not deleted, and are listed.</p>
    <RequestCost requests={ids.length} />
    <div class="form-foot">
      <button type="button" class="danger" onClick={onDelete}>
        Delete {countPets(ids.length)}
      </button>
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
    </div>
  </Dialog>
)

const Foot = ({ submit, onClose }: { submit: string; onClose: () => void }) => (
  <div class="form-foot">
    <button type="submit">{submit}</button>
    <button type="button" class="quiet" onClick={onClose}>
      Cancel
    </button>
  </div>
)

const dialogs = { category: MoveToCategory, stock: SetStock, delete: Delete }
