import type { PetPatch, PetProfile, Tagged } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { useLoad } from '../load.ts'
import { Edit } from '../parts/edit.tsx'
import { store } from '../session.ts'
import { confirmLoss } from '../unsaved.ts'

/** Changes that are being saved, which the screen already shows. */
const pendingChanges = signal<ReadonlyMap<number, PetPatch>>(new Map())

/** A pet with the changes that are being saved. */
export const withPendingChanges = <P extends { id: number }>(pet: P): P => ({
  ...pet,
  ...pendingChanges.value.get(pet.id),
})

async function updatePet(before: Tagged<PetProfile>, changes: PetPatch): Promise<void> {
  const { id } = before
  pendingChanges.value = new Map([...pendingChanges.value, [id, changes]])
  try {
    await store().pets.update(id, changes, { ifMatch: before })
  } finally {
    pendingChanges.value = new Map([...pendingChanges.value].filter(([pending]) => pending !== id))
  }
}

/** Edits a pet in its row, or on its screen. */
export const PetEdit = ({ pet, onClose }: { pet: Tagged<PetProfile>; onClose: () => void }) => (
  // biome-ignore lint/a11y/noStaticElementInteractions: only handles Escape inside
  <div
    class="row-edit"
    onKeyDown={({ key, currentTarget }) => {
      if (key === 'Escape') confirmLoss(onClose, (form) => currentTarget.contains(form))
    }}
  >
    <Edit<PetProfile, Required<PetPatch>>
      item={pet}
      schema="PetPatch"
      nameOf={({ name }) => name}
      fieldsOf={({ name, categoryId, status }) => ({ name, categoryId, status })}
      update={updatePet}
      load={() => store().pets.profile(pet.id)}
      formatValue={(field, value) => (field === 'categoryId' ? <CategoryName id={Number(value)} /> : String(value))}
      onClose={onClose}
    />
  </div>
)

function CategoryName({ id }: { id: number }) {
  const category = useLoad(String(id), (signal) => store().categories.get(id, { signal }))
  return <>{category.value.data?.name ?? `#${id}`}</>
}
