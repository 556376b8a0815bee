import { type Category, type CategoryPatch, PetStoreError } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { changed } from '../load.ts'
import { Conflict, type Overtaken, openQuestions } from '../parts/conflict.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { toast } from '../parts/toasts.tsx'
import { store } from '../session.ts'

interface Found {
  readonly theirs: Category
  readonly overtaken: Overtaken<CategoryPatch>
}

const fieldsOf = ({ name, description }: Category): CategoryPatch => ({ name, description: description ?? null })

/** Saves changes meant for the state that was shown, or gives the three versions when somebody was faster. */
async function saveCategory(before: Category, changes: CategoryPatch): Promise<Found | undefined> {
  if (Object.keys(changes).length === 0) return undefined
  try {
    await store().categories.update(before.id, changes, { ifMatch: before })
    return undefined
  } catch (error) {
    if (!(error instanceof PetStoreError && error.code === 'precondition_failed')) throw error
    const theirs = await store().categories.get(before.id)
    const overtaken = { before: fieldsOf(before), theirs: fieldsOf(theirs), yours: changes }
    return openQuestions(overtaken).length > 0 ? { theirs, overtaken } : undefined
  }
}

export function CategoryEdit({ category, onClose }: { category: Category; onClose: () => void }) {
  const found = useSignal<Found | undefined>(undefined)
  const save = (before: Category) => async (changes: CategoryPatch) => {
    found.value = await saveCategory(before, changes)
    if (found.value) return
    toast({ text: 'Saved.' })
    changed()
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
          key={JSON.stringify(found.value.overtaken)}
          what={found.value.theirs.name}
          {...found.value.overtaken}
          save={save(found.value.theirs)}
          onClose={() => (found.value = undefined)}
        />
      )}
    </Dialog>
  )
}
