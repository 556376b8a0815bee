import type { NewOrder, PlacedOrder } from '@petstore/sdk'
import { reloadScreens, useLoad } from '../load.ts'
import { loadPetNames } from '../names.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Filter } from '../parts/filter.tsx'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pager } from '../parts/pager.tsx'
import { PetPicker } from '../parts/pickers.tsx'
import { Empty, Show } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { hrefOf, param, params, setParams } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { isHidden } from '../undo.ts'
import { cancelOrder, completeOrder } from './order-actions.ts'

const states = [
  ['false', 'open'],
  ['true', 'complete'],
] as const

/** The start of a day in the user's time zone. */
const startOfDay = (day: string): string => new Date(`${day}T00:00`).toISOString()

function orderFilters() {
  const [petId, complete, from, sort, cursor] = ['petId', 'complete', 'placedFrom', 'sort', 'cursor'].map(param)
  return {
    ...(petId && { petId: Number(petId) }),
    ...(complete && { complete: complete === 'true' }),
    ...(from && { placedFrom: startOfDay(from) }),
    // Newest first by default.
    sort: (sort || '-id') as 'id',
    ...(cursor && { cursor }),
  }
}

export function Orders() {
  const key = new URLSearchParams([...params.value].filter(([name]) => name !== 'do')).toString()
  const page = useLoad(key, async (signal) => {
    const { items, next } = await store()
      .store.orders.list({ ...orderFilters(), limit: 50 }, { signal })
      .firstPage()
    return {
      items,
      next,
      names: await loadPetNames(
        items.flatMap(({ petId }) => petId ?? []),
        signal,
      ),
    }
  })
  const close = () => setParams({ do: undefined }, { replace: true })
  return (
    <>
      <Heading title="Orders">
        {hasScope('orders:write') && (
          <button type="button" onClick={() => setParams({ do: 'new' })}>
            <Icon name="plus" /> Place an order
          </button>
        )}
      </Heading>
      <search class="filters">
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
      </search>
      <Show of={page}>
        {({ items, next, names }) => {
          const rows = items.filter(({ id }) => !isHidden(`order ${id}`))
          return (
            <>
              {rows.length === 0 ? (
                <Empty title={key === '' ? 'No orders yet' : 'No orders match these filters'} />
              ) : (
                <Table
                  label="Orders"
                  rows={rows}
                  idOf={({ id }) => id ?? 0}
                  columns={columns(names)}
                  isLoading={page.value.isLoading}
                />
              )}
              <Pager next={next} count={rows.length} />
            </>
          )
        }}
      </Show>
      {param('do') === 'new' && hasScope('orders:write') && (
        <Dialog title="Place an order" onClose={close}>
          <Form<NewOrder>
            schema="NewOrder"
            initial={{ petId: Number(param('petId')) || undefined, quantity: 1 }}
            submit="Place"
            send={async (order) => {
              const { id } = await store().store.orders.place(order)
              toast({ text: `Order ${id} is placed.`, link: { href: hrefOf(`/orders/${id}`), text: 'Show' } })
              reloadScreens()
              close()
            }}
            onCancel={close}
          />
        </Dialog>
      )}
    </>
  )
}

function columns(names: ReadonlyMap<number, string>): Column<PlacedOrder>[] {
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
      cell: ({ petId = 0 }) =>
        names.has(petId) ? (
          <a href={hrefOf(`/pets/${petId}`)}>{names.get(petId)}</a>
        ) : (
          <span class="soft">#{petId}</span>
        ),
    },
    { title: 'Quantity', numeric: true, cell: ({ quantity = 0 }) => number(quantity) },
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
    <span class="row-actions">
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
        class="quiet small"
        aria-label={`Cancel order ${order.id}`}
        onClick={() => cancelOrder(order)}
      >
        Cancel
      </button>
    </span>
  )
}
