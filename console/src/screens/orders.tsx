import type { NewOrder, PlacedOrder } from '@petstore/sdk'
import { reloadScreens } from '../load.ts'
import { addPetNames, type WithPetName } from '../names.ts'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Heading, NewButton } from '../parts/heading.tsx'
import { List } from '../parts/list.tsx'
import { PetPicker } from '../parts/pickers.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { closeDialog, hrefOf, isFiltered, param, setParams } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usePage } from '../use-page.ts'
import { cancelOrder, completeOrder } from './order-actions.ts'

const states = [
  ['false', 'open'],
  ['true', 'complete'],
] as const

/** The start of a day in the user's time zone. */
const startOfDay = (day: string): string => new Date(`${day}T00:00`).toISOString()

export function Orders() {
  const page = usePage(['petId', 'complete', 'placedFrom', 'sort'], async (query, options) => {
    const day = param('placedFrom')
    const filters = { sort: '-id', ...query, ...(day && { placedFrom: startOfDay(day) }) } as const
    return addPetNames(await store().store.orders.list(filters, options).firstPage(), options.signal)
  })
  return (
    <>
      <Heading title="Orders">{hasScope('orders:write') && <NewButton>Place an order</NewButton>}</Heading>
      <Unseen scope="orders:all">orders placed with other keys</Unseen>
      <Unseen scope="pets:read">the names of pets</Unseen>
      <Filters>
        {hasScope('pets:read') && (
          <PetPicker
            label="Pet"
            placeholder="Any pet"
            value={Number(param('petId')) || undefined}
            onChange={(id) => setParams({ petId: id ? String(id) : undefined })}
          />
        )}
        <Filter label="State" name="complete" choices={states} />
        <label class="inline">
          Placed since{' '}
          <input
            type="date"
            value={param('placedFrom')}
            onChange={(event) => setParams({ placedFrom: event.currentTarget.value })}
          />
        </label>
      </Filters>
      <List
        page={page}
        label="Orders"
        idOf={({ id }) => id}
        columns={columns()}
        empty={
          <Empty
            title={`No orders${hasScope('orders:all') ? '' : ' placed with your key'}${isFiltered() ? ' match these filters' : ' yet'}`}
          />
        }
      />
      {param('do') === 'new' && hasScope('orders:write') && (
        <FormDialog<NewOrder>
          title="Place an order"
          schema="NewOrder"
          initial={{ petId: Number(param('petId')) || undefined, quantity: 1 }}
          submit="Place"
          send={async (order) => {
            const { id } = await store().store.orders.place(order)
            toast({ text: `Order ${id} is placed.`, link: { href: hrefOf(`/orders/${id}`), text: 'Show' } })
            reloadScreens()
            closeDialog()
          }}
          onClose={closeDialog}
        />
      )}
    </>
  )
}

function columns(): Column<WithPetName<PlacedOrder>>[] {
  return [
    {
      title: 'Order',
      sort: 'id',
      cell: ({ id }) => (
        <a class="name" href={hrefOf(`/orders/${id}`)}>
          {id}
        </a>
      ),
    },
    {
      title: 'Pet',
      cell: ({ petId, petName }) =>
        petName ? <a href={hrefOf(`/pets/${petId}`)}>{petName}</a> : <span class="soft">#{petId}</span>,
    },
    { title: 'Quantity', numeric: true, cell: ({ quantity }) => number(quantity) },
    { title: 'Ships', sort: 'shipDate', minor: true, cell: ({ shipDate }) => shipDate && <Time at={shipDate} /> },
    { title: 'State', cell: ({ complete }) => <Status value={complete ? 'complete' : 'open'} /> },
    ...(hasScope('orders:write')
      ? [{ title: '', minor: true, cell: (order: PlacedOrder) => <Actions order={order} /> }]
      : []),
  ]
}

function Actions({ order }: { order: PlacedOrder }) {
  if (order.complete) return null
  return (
    <Undoable id={`order ${order.id}`}>
      <button
        type="button"
        class="quiet small"
        aria-label={`Complete order ${order.id}`}
        onClick={() => completeOrder(order)}
      >
        Complete
      </button>
      <button
        type="button"
        class="quiet small apart"
        aria-label={`Cancel order ${order.id}`}
        onClick={() => cancelOrder(order)}
      >
        Cancel
      </button>
    </Undoable>
  )
}
