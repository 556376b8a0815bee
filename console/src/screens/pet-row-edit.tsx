import type { PetPatch, PetProfile, Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens } from '../load.ts'
import { Form } from '../parts/form.tsx'
import { toast } from '../parts/toasts.tsx'
import { PetConflict } from './pet-conflict.tsx'
import { savePet } from './pet-edit.ts'

/** Edits a pet in its row, or on its screen. */
export function PetRowEdit({ pet, onClose }: { pet: Tagged<PetProfile>; onClose: () => void }) {
  const conflict = useSignal<Awaited<ReturnType<typeof savePet>>>(undefined)
  const done = () => {
    conflict.value = undefined
    reloadScreens()
    onClose()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only handles Escape inside
    <div class="row-edit" onKeyDown={(event) => event.key === 'Escape' && onClose()}>
      <Form<PetPatch>
        schema="PetPatch"
        initial={{ ...pet }}
        changesOnly
        submit="Save"
        send={async (changes) => {
          const found = await savePet(pet, changes)
          if (found) {
            conflict.value = found
            return
          }
          toast({ text: 'Saved.' })
          onClose()
        }}
        onCancel={onClose}
      />
      {conflict.value && (
        <PetConflict
          key={JSON.stringify(conflict.value.conflict)}
          {...conflict.value}
          onDone={done}
          onClose={() => {
            conflict.value = undefined
          }}
          onConflict={(next) => {
            conflict.value = next
          }}
        />
      )}
    </div>
  )
}
