import type { PetLabel } from '../names.ts'
import { hrefOf } from '../router.ts'
import { PetGlyph } from './pet-glyph.tsx'

/** A pet in a list of other things. A deleted one keeps its name, but has no screen. */
export function PetLink({ petId, petName, petCategory, isPetDeleted = false }: PetLabel & { petId: number }) {
  if (isPetDeleted) {
    return (
      <span>
        {petName ?? `#${petId}`} <small class="soft">deleted</small>
      </span>
    )
  }
  if (petName === undefined) return <span class="soft">#{petId}</span>
  return (
    <span class="pet-name">
      <PetGlyph name={petName} category={petCategory ?? ''} />
      <a class="name" href={hrefOf(`/pets/${petId}`)}>
        {petName}
      </a>
    </span>
  )
}
