import type { NewPet as NewPetFields } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { fieldsOf } from '../description.ts'
import { reloadScreens } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { FieldRow } from '../parts/field.tsx'
import { Form, type Sending } from '../parts/form.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { go, hrefOf, param } from '../router.ts'
import { hasScope, store } from '../session.ts'

/** Creates one pet, or several one after another. Then the list begins with the newest. */
export function NewPet({ onClose }: { onClose: () => void }) {
  const stock = useSignal('')
  const hasNext = useSignal(false)
  const created = useSignal<readonly NewPetFields[]>([])
  const last = created.value.at(-1)
  const close = () => (created.value.length > 0 ? go(hrefOf('/pets', { sort: '-id' }), { replace: true }) : onClose())
  async function create(pet: NewPetFields, { idempotencyKey, isLeft }: Sending) {
    const { id, name } = await store().pets.create(pet, { idempotencyKey })
    if (stock.value !== '') {
      await store()
        .store.inventory.set(id, { quantity: Number(stock.value) })
        .catch(toastFailure)
    }
    toast({ text: `${name} was created.`, link: { href: hrefOf(`/pets/${id}`), text: 'Show' } })
    created.value = [...created.value, pet]
    stock.value = ''
    reloadScreens()
    if (!hasNext.value && !isLeft()) close()
  }
  return (
    <Dialog title="Create a pet" onClose={close}>
      <Form<NewPetFields>
        // An empty form for the next pet, which is often of the same category.
        key={created.value.length}
        schema="NewPet"
        initial={{ categoryId: last?.categoryId ?? (Number(param('categoryId')) || undefined) }}
        submit="Create"
        send={create}
        onCancel={close}
      >
        {hasScope('inventory:write') && <StockField value={stock.value} onChange={(typed) => (stock.value = typed)} />}
        <label class="flag">
          <input
            type="checkbox"
            checked={hasNext.value}
            onChange={(event) => (hasNext.value = event.currentTarget.checked)}
          />{' '}
          Create another one after this
        </label>
      </Form>
    </Dialog>
  )
}

function StockField({ value, onChange }: { value: string; onChange: (typed: string) => void }) {
  const [quantity] = fieldsOf('InventoryUpdate')
  if (!quantity) return null
  const field = {
    ...quantity,
    label: 'In stock',
    required: false,
    help: 'How many there are. Empty: one, or none if it is sold.',
  }
  return <FieldRow field={field} value={value} onChange={(typed) => onChange(String(typed ?? ''))} />
}
