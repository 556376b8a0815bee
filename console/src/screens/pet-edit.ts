import { type PetPatch, type PetProfile, PetStoreError, type Tagged } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { reloadScreens } from '../load.ts'
import { type EditConflict, findConflicts } from '../parts/conflict.tsx'
import { store } from '../session.ts'

/** Changes that are being saved, displayed already. */
const pendingChanges = signal<ReadonlyMap<number, PetPatch>>(new Map())

/** A pet with the changes that are being saved. */
export const withPendingChanges = <P extends { id: number }>(pet: P): P => ({
  ...pet,
  ...pendingChanges.value.get(pet.id),
})

export type PetFields = Required<PetPatch>

const fieldsOf = ({ name, categoryId, status }: PetProfile): PetFields => ({ name, categoryId, status })

/** Saves changes to the displayed version. If someone else changed it, returns the conflict and their version. */
export async function savePet(
  before: Tagged<PetProfile>,
  changes: PetPatch,
): Promise<{ conflict: EditConflict<PetFields>; theirs: Tagged<PetProfile> } | undefined> {
  if (Object.keys(changes).length === 0) return undefined
  const { id } = before
  pendingChanges.value = new Map([...pendingChanges.value, [id, changes]])
  try {
    await store().pets.update(id, changes, { ifMatch: before })
    reloadScreens()
  } catch (error) {
    if (!(error instanceof PetStoreError && error.code === 'precondition_failed')) throw error
    const theirs = await store().pets.profile(id)
    const conflict = { before: fieldsOf(before), theirs: fieldsOf(theirs), yours: changes as Partial<PetFields> }
    // No difference left: an earlier try had saved this change, but its answer was lost.
    if (findConflicts(conflict).length > 0) return { conflict, theirs }
    reloadScreens()
  } finally {
    const left = new Map(pendingChanges.value)
    left.delete(id)
    pendingChanges.value = left
  }
  return undefined
}
