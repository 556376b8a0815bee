import type { PetLabel } from '../pet-labels.ts'
import { hrefOf } from '../router.ts'
import { PetGlyph } from './pet-glyph.tsx'

/** A pet in a list of other things. A deleted one keeps its name, but has no screen. */
export function PetLink({ petId, petName, petCategory, isPetDeleted = false }: PetLabel & { petId: number }) {
  if (isPetDeleted) {
    return (
      <span dir="auto">
        {petName ?? `#${petId}`} <small class="soft">deleted</small>
      </span>
    )
  }
  if (petName === undefined) return <span class="soft">#{petId}</span>
  return (
    <span class="pet-name">
      <PetGlyph id={petId} name={petName} category={petCategory ?? ''} />
      <a class="name" dir="auto" href={hrefOf(`/pets/${petId}`)}>
        {petName}
      </a>
    </span>
  )
}
