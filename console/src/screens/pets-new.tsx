import type { NewPet as NewPetFields } from '@petstore/sdk'
import { reloadScreens } from '../load.ts'
import { FormDialog } from '../parts/form-dialog.tsx'
import { toast } from '../parts/toasts.tsx'
import { hrefOf, param } from '../router.ts'
import { store } from '../session.ts'

export const NewPet = ({ onClose }: { onClose: () => void }) => (
  <FormDialog<NewPetFields>
    title="Create a pet"
    schema="NewPet"
    initial={{ categoryId: Number(param('categoryId')) || undefined }}
    submit="Create"
    send={async (pet) => {
      const { id, name } = await store().pets.create(pet)
      toast({ text: `${name} is created.`, link: { href: hrefOf(`/pets/${id}`), text: 'Show' } })
      reloadScreens()
      onClose()
    }}
    onClose={onClose}
  />
)
