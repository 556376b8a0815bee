import type { PetProfile } from '@petstore/sdk'
import { useLoad } from '../load.ts'
import { namesOfCategories } from '../names.ts'
import { Conflict, type Overtaken } from '../parts/conflict.tsx'
import { type PetFields, savePet } from './pet-edit.ts'

interface Props {
  readonly theirs: PetProfile
  readonly overtaken: Overtaken<PetFields>
  /** Saved, or theirs was kept. */
  readonly onDone: () => void
  readonly onClose: () => void
  /** It was overtaken once more. */
  readonly onAgain: (again: { overtaken: Overtaken<PetFields>; theirs: PetProfile }) => void
}

/** The three-way view for a pet. */
export function PetConflict({ theirs, overtaken, onDone, onClose, onAgain }: Props) {
  const ids = [overtaken.before, overtaken.theirs, overtaken.yours].flatMap(({ categoryId }) => categoryId ?? [])
  const names = useLoad(ids.join(), (signal) => namesOfCategories(ids, signal))
  return (
    <Conflict
      what={theirs.name}
      {...overtaken}
      name={(field, value) =>
        field === 'categoryId' ? (names.value.data?.get(Number(value)) ?? `no. ${value}`) : String(value)
      }
      save={async (changes) => {
        const again = await savePet(theirs, changes)
        if (again) onAgain(again)
        else onDone()
      }}
      onClose={onClose}
    />
  )
}
