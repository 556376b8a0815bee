import { type PetPatch, type PetProfile, PetStoreError } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { changed } from '../load.ts'
import { type Overtaken, openQuestions } from '../parts/conflict.tsx'
import { store } from '../session.ts'

/** Changes that are on their way, shown already. */
const underway = signal<ReadonlyMap<number, PetPatch>>(new Map())

/** A pet with the changes that are on their way. */
export const shownAs = <P extends { id: number }>(pet: P): P => ({ ...pet, ...underway.value.get(pet.id) })

export type PetFields = Required<PetPatch>

const fieldsOf = ({ name, categoryId, status }: PetProfile): PetFields => ({ name, categoryId, status })

/** Saves changes meant for the state that was shown. When somebody was faster, gives the three versions and that of theirs. */
export async function savePet(
  before: PetProfile,
  changes: PetPatch,
): Promise<{ overtaken: Overtaken<PetFields>; theirs: PetProfile } | undefined> {
  if (Object.keys(changes).length === 0) return undefined
  const { id } = before
  underway.value = new Map([...underway.value, [id, changes]])
  try {
    await store().pets.update(id, changes, { ifMatch: before })
    changed()
  } catch (error) {
    if (!(error instanceof PetStoreError && error.code === 'precondition_failed')) throw error
    const theirs = await store().pets.profile(id)
    const overtaken = { before: fieldsOf(before), theirs: fieldsOf(theirs), yours: changes as Partial<PetFields> }
    // Nothing left to decide: an answer that was lost on the way had been for this very change.
    if (openQuestions(overtaken).length > 0) return { overtaken, theirs }
    changed()
  } finally {
    const left = new Map(underway.value)
    left.delete(id)
    underway.value = left
  }
  return undefined
}
