import { type PetProfile, PetStoreError, type Tagged } from '@petstore/sdk'
import type { Signal } from '@preact/signals'
import { createLatest } from '../latest.ts'
import { CategoryName } from '../parts/category-name.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { PetGlyph } from '../parts/pet-glyph.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { number } from '../parts/time.tsx'
import { toastFailure } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { startPending } from '../pending.ts'
import { hrefOf, leaveItem } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { confirmLoss } from '../unsaved.ts'
import { withPendingChanges } from './pet-edit.tsx'

export function petColumns(
  editing: Signal<Tagged<PetProfile> | undefined>,
  sharedNames: ReadonlySet<string>,
): Column<PetProfile>[] {
  const columns: Column<PetProfile>[] = [
    { title: 'ID', sort: 'id', numeric: true, minor: true, cell: ({ id }) => <span class="soft">{id}</span> },
    {
      title: 'Name',
      long: true,
      fixed: true,
      sort: 'name',
      cell: (pet) => (
        <span class="pet-name">
          <PetGlyph id={pet.id} name={pet.name} category={pet.category.name} />
          <a class="name" dir="auto" href={hrefOf(`/pets/${pet.id}`)}>
            {withPendingChanges(pet).name}
          </a>
        </span>
      ),
    },
    {
      title: 'Category',
      long: 'less',
      minor: true,
      cell: ({ category }) => <CategoryName category={category} isShared={sharedNames.has(category.name)} />,
    },
    {
      title: 'Status',
      cell: (pet) => (
        <>
          <Status value={withPendingChanges(pet).status} />{' '}
          {pet.held && (
            <small class="soft" title="Set by hand: it does not follow the stock">
              held
            </small>
          )}
        </>
      ),
    },
    { title: 'Stock', numeric: true, cell: ({ stock }) => number(stock) },
  ]
  if (hasScope('pets:write')) columns.push({ title: '', cell: (pet) => <Actions pet={pet} editing={editing} /> })
  return columns
}

const latest = createLatest()

function Actions({ pet, editing }: { pet: PetProfile; editing: Signal<Tagged<PetProfile> | undefined> }) {
  const show = (current: Tagged<PetProfile>) => {
    editing.value = current
  }
  const load = () => {
    // One pet at a time. At once, so that nothing is typed into the other edit while this one loads.
    editing.value = undefined
    // The current version with its ETag: the list may be outdated.
    latest(store().pets.profile(pet.id), show).catch(toastFailure)
  }
  const edit = () => confirmLoss(load, (form) => form.closest('.list') !== null)
  return (
    <Undoable id={`pet ${pet.id}`} isNarrow>
      <IconButton icon="edit" title="Edit here" label={`Edit ${pet.name}`} onClick={edit} />
      <IconButton icon="trash" title="Delete" label={`Delete ${pet.name}`} onClick={() => deletePet(pet)} />
    </Undoable>
  )
}

export function deletePet({ id, name }: { id: number; name: string }): void {
  startPending({
    id: `pet ${id}`,
    verb: 'deleted',
    doneText: `${name} was deleted.`,
    async findRejection() {
      if (!hasScope('orders:read')) return undefined
      const { items } = await store().store.orders.list({ petId: id, complete: false, limit: 1 }).firstPage()
      if (items.length === 0) return undefined
      return new PetStoreError({ code: 'pet_has_open_orders', status: 409, message: `${name} has open orders.` })
    },
    send: () => store().pets.delete(id),
    about: { petId: id },
    onDone: () => leaveItem('/pets', id),
  })
}
