import type { InventoryItem, PetStatus } from '@petstore/sdk'
import { choicesOf } from '../description.ts'
import { useLoad } from '../load.ts'
import { loadPetNames } from '../names.ts'
import { Filter } from '../parts/filter.tsx'
import { Heading } from '../parts/heading.tsx'
import { Pager } from '../parts/pager.tsx'
import { Empty, Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { number } from '../parts/time.tsx'
import { hrefOf, param, params } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { StockEdit } from './stock-edit.tsx'

const amounts = [
  ['0', 'none left'],
  ['3', 'at most 3 left'],
  ['10', 'at most 10 left'],
] as const

export function Inventory() {
  const key = params.value.toString()
  const page = useLoad(key, async (signal) => {
    const [status, max, sort, cursor] = ['status', 'maxQuantity', 'sort', 'cursor'].map(param)
    const { items, next } = await store()
      .store.inventory.list(
        {
          ...(status && { status: status as PetStatus }),
          ...(max && { maxQuantity: Number(max) }),
          ...(sort && { sort: sort as 'petId' }),
          ...(cursor && { cursor }),
          limit: 50,
        },
        { signal },
      )
      .firstPage()
    return {
      items,
      next,
      names: await loadPetNames(
        items.map(({ petId }) => petId),
        signal,
      ),
    }
  })
  return (
    <>
      <Heading title="Inventory" />
      <search class="filters">
        <Filter label="Status" name="status" choices={choicesOf('PetStatus').map((status) => [status, status])} />
        <Filter label="Amount" name="maxQuantity" choices={amounts} />
      </search>
      <Show of={page}>
        {({ items, next, names }) => (
          <>
            {items.length === 0 ? (
              <Empty title={key === '' ? 'No stock yet' : 'No stock matches these filters'} />
            ) : (
              <Table
                label="Inventory"
                rows={items}
                idOf={({ petId }) => petId}
                columns={columns(names)}
                isLoading={page.value.isLoading}
              />
            )}
            <Pager next={next} count={items.length} />
          </>
        )}
      </Show>
    </>
  )
}

const columns = (names: ReadonlyMap<number, string>): Column<InventoryItem>[] => [
  {
    title: 'Pet',
    cell: ({ petId }) => (
      <a class="name" href={hrefOf(`/pets/${petId}`)}>
        {names.get(petId) ?? `#${petId}`}
      </a>
    ),
  },
  // A phone only has room for the count and its buttons.
  { title: 'Status', minor: true, cell: ({ status }) => <Status value={status} /> },
  {
    title: 'In stock',
    numeric: true,
    cell: (item) =>
      hasScope('inventory:write') ? (
        <StockEdit item={item} name={names.get(item.petId) ?? `pet ${item.petId}`} />
      ) : (
        number(item.quantity)
      ),
  },
]
