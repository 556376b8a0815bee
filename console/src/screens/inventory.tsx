import type { InventoryItem } from '@petstore/sdk'
import { choicesOf } from '../description.ts'
import { addPetNames, type WithPetName } from '../names.ts'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { Heading } from '../parts/heading.tsx'
import { List } from '../parts/list.tsx'
import { PetLink } from '../parts/pet-link.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { number } from '../parts/time.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { hrefOf, isFiltered } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { lowMax } from '../stock-levels.ts'
import { usePage } from '../use-page.ts'
import { StockEdit } from './stock-edit.tsx'

const amounts = [
  ['0', 'none left'],
  [String(lowMax), `running low: at most ${lowMax} left`],
  ['10', 'at most 10 left'],
] as const

export function Inventory() {
  const page = usePage(['status', 'maxQuantity', 'sort'], async (query, options) =>
    addPetNames(await store().store.inventory.list(query, options).firstPage(), options.signal),
  )
  return (
    <>
      <Heading title="Inventory" />
      <Unseen scope="pets:read">the names of pets</Unseen>
      <Filters>
        <Filter label="Status" name="status" choices={choicesOf('PetStatus').map((status) => [status, status])} />
        <Filter label="Amount" name="maxQuantity" choices={amounts} />
      </Filters>
      <List
        page={page}
        label="Inventory"
        idOf={({ petId }) => petId}
        columns={columns}
        empty={
          <Empty title={isFiltered() ? 'No stock matches these filters' : 'No stock yet'}>
            {isFiltered() ? <a href={hrefOf('/inventory')}>Show all stock</a> : <FirstStock />}
          </Empty>
        }
      />
    </>
  )
}

const columns: Column<WithPetName<InventoryItem>>[] = [
  {
    title: 'Pet',
    cell: PetLink,
  },
  // A phone only has room for the count and its buttons.
  { title: 'Status', minor: true, cell: ({ status }) => <Status value={status} /> },
  {
    title: 'In stock',
    numeric: true,
    cell: (item) =>
      hasScope('inventory:write') ? (
        <StockEdit item={item} name={item.petName ?? `pet ${item.petId}`} />
      ) : (
        number(item.quantity)
      ),
  },
]

/** Every new pet has a count, so there is stock as soon as there is a pet. */
const FirstStock = () => (
  <>
    <p>Each pet that you create gets a count, which you change here.</p>
    {hasScope('pets:write') && (
      <a class="button" href={hrefOf('/pets', { do: 'new' })}>
        Create the first pet
      </a>
    )}
  </>
)
