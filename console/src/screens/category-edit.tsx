import { type Category, type CategoryPatch, PetStoreError, type Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens } from '../load.ts'
import { Conflict, type EditConflict, findConflicts } from '../parts/conflict.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { toast } from '../parts/toasts.tsx'
import { store } from '../session.ts'

interface FoundConflict {
  readonly theirs: Tagged<Category>
  readonly conflict: EditConflict<CategoryPatch>
}

const fieldsOf = ({ name, description }: Category): CategoryPatch => ({ name, description: description ?? null })

/** Saves changes to the displayed version, or returns the conflict if someone else changed it. */
async function saveCategory(before: Tagged<Category>, changes: CategoryPatch): Promise<FoundConflict | undefined> {
  if (Object.keys(changes).length === 0) return undefined
  try {
    await store().categories.update(before.id, changes, { ifMatch: before })
    return undefined
  } catch (error) {
    if (!(error instanceof PetStoreError && error.code === 'precondition_failed')) throw error
    const theirs = await store().categories.get(before.id)
    const conflict = { before: fieldsOf(before), theirs: fieldsOf(theirs), yours: changes }
    return findConflicts(conflict).length > 0 ? { theirs, conflict } : undefined
  }
}

export function CategoryEdit({ category, onClose }: { category: Tagged<Category>; onClose: () => void }) {
  const found = useSignal<FoundConflict | undefined>(undefined)
  const save = (before: Tagged<Category>) => async (changes: CategoryPatch) => {
    found.value = await saveCategory(before, changes)
    if (found.value) return
    toast({ text: 'Saved.' })
    reloadScreens()
    onClose()
  }
  return (
    <Dialog title={`Edit ${category.name}`} onClose={onClose}>
      <Form<CategoryPatch>
        schema="CategoryPatch"
        initial={{ ...category }}
        changesOnly
        submit="Save"
        send={save(category)}
        onCancel={onClose}
      />
      {found.value && (
        <Conflict
          key={JSON.stringify(found.value.conflict)}
          what={found.value.theirs.name}
          {...found.value.conflict}
          save={save(found.value.theirs)}
          onClose={() => (found.value = undefined)}
        />
      )}
    </Dialog>
  )
}
