import type { PetProfile, Tagged } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { loadCategoryNames } from '../names.ts'
import { Conflict, type EditConflict } from '../parts/conflict.tsx'
import { type PetFields, savePet } from './pet-edit.ts'

interface Props {
  readonly theirs: Tagged<PetProfile>
  readonly conflict: EditConflict<PetFields>
  /** Called when the conflict is resolved. */
  readonly onDone: () => void
  readonly onClose: () => void
  /** Called when someone else has changed the pet once more. */
  readonly onConflict: (next: { conflict: EditConflict<PetFields>; theirs: Tagged<PetProfile> }) => void
}

/** Resolves an edit conflict of a pet. */
export function PetConflict({ theirs, conflict, onDone, onClose, onConflict }: Props) {
  const ids = [conflict.before, conflict.theirs, conflict.yours].flatMap(({ categoryId }) => categoryId ?? [])
  const names = useLoad(ids.join(), (signal) => loadCategoryNames(ids, signal))
  return (
    <Conflict
      what={theirs.name}
      {...conflict}
      formatValue={(field, value) =>
        field === 'categoryId' ? (names.value.data?.get(Number(value)) ?? `#${value}`) : String(value)
      }
      save={async (changes) => {
        const next = await savePet(theirs, changes)
        if (next) onConflict(next)
        else onDone()
      }}
      onClose={onClose}
    />
  )
}
