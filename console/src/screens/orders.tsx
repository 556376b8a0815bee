import type { NewOrder, Order } from '@petstore/sdk'
import { useKept } from '../entries.ts'
import { firstFilledPage } from '../first-filled-page.ts'
import { reloadScreens, useLoad } from '../load.ts'
import { DayFilter } from '../parts/day-filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Heading, NewButton } from '../parts/heading.tsx'
import { List } from '../parts/list.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { number, Time } from '../parts/time.tsx'
import { toast } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { closeDialog, hrefOf, isFiltered, param } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usePage } from '../use-page.ts'
import { cancelOrder, completeOrder } from './order-actions.ts'
import { addNames, byColumn, orderColumns, type WithNames } from './order-columns.tsx'
import { OrderedPet, orderFilters, orderParams } from './order-filters.tsx'
import { OrdersBulkBar } from './orders-bulk.tsx'
import { EndedOrders } from './orders-ended.tsx'

/** The filters that each tab sets. */
const tabs = [
  ['All', {}],
  ['Open', { complete: 'false' }],
  ['Completed', { complete: 'true' }],
  ['Cancelled', { state: 'cancelled' }],
] as const

export function Orders() {
  const isCancelled = param('state') === 'cancelled'
  const ending = isCancelled ? 'cancelled' : param('completedFrom') || param('completedTo') ? 'completed' : undefined
  const totals = useTotals()
  const isHere = (values: { complete?: string; state?: string }) =>
    isCancelled ? values.state === 'cancelled' : !values.state && (values.complete ?? '') === param('complete')
  return (
    <>
      <Heading title="Orders">{hasScope('orders:write') && <NewButton>Place an order</NewButton>}</Heading>
      <Unseen scope="orders:all">orders placed with other keys</Unseen>
      <Unseen scope="pets:read">the names of pets</Unseen>
      <Tabs
        label="Orders by state"
        tabs={tabs.map(([text, values]) => ({
          text,
          total: text === 'Open' ? totals?.open : undefined,
          href: hrefOf('/orders', { ...values, ...keptIn('state' in values) }),
          isHere: isHere(values),
        }))}
      />
      {totals && <p class="soft small">{totals.recent}</p>}
      {ending ? <EndedOrders key={ending} ending={ending} /> : <PlacedOrders />}
      {param('do') === 'new' && hasScope('orders:write') && (
        <FormDialog<NewOrder>
          title="Place an order"
          schema="NewOrder"
          initial={{ petId: Number(param('petId')) || undefined, quantity: 1 }}
          submit="Place"
          send={async (order, { idempotencyKey, isLeft }) => {
            const { id } = await store().store.orders.place(order, { idempotencyKey })
            toast({ text: `Order ${id} was placed.`, link: { href: hrefOf(`/orders/${id}`), text: 'Show' } })
            reloadScreens()
            if (!isLeft()) closeDialog()
          }}
          onClose={closeDialog}
        />
      )}
    </>
  )
}

/** The filters that are kept when another tab is chosen: the pet, and the days on which orders were placed or cancelled. */
function keptIn(isForCancelled: boolean) {
  const isCancelled = param('state') === 'cancelled'
  const [from, to] = isCancelled ? ['cancelledFrom', 'cancelledTo'] : ['placedFrom', 'placedTo']
  const days = { from: param(from), to: param(to) }
  const petId = param('petId')
  if (isForCancelled) return { petId, cancelledFrom: days.from, cancelledTo: days.to }
  return { petId, placedFrom: days.from, placedTo: days.to, sort: param('sort') }
}

const recentDays = 30

/** How many orders are open, and what happened to orders lately, in the whole shop, for keys that may see it. */
function useTotals(): { open: string; recent: string } | undefined {
  const totals = useLoad('', async (signal) => {
    if (!hasScope('orders:all')) return undefined
    const { openOrders, days = [] } = await store().store.summary({ hours: 1, days: recentDays }, { signal })
    const sum = (kind: 'placed' | 'completed' | 'cancelled') =>
      `${number(days.reduce((total, day) => total + day[kind], 0))} ${kind}`
    const recent = `In the last ${recentDays} days: ${sum('placed')}, ${sum('completed')}, ${sum('cancelled')}.`
    return { open: number(openOrders), recent }
  })
  return totals.value.data
}

function PlacedOrders() {
  const selected = useKept<ReadonlySet<number>>('selected', new Set())
  const page = usePage(orderParams, async ({ limit, cursor }, options) => {
    const query = { sort: '-id', ...orderFilters(), limit, ...(cursor && { cursor }) } as const
    return addNames(await firstFilledPage(store().store.orders.list(query, options)), options.signal)
  })
  const columns = orderListColumns()
  const hasMore = page.value.data?.next !== undefined || param('cursor') !== ''
  return (
    <>
      <Filters columns={columns}>
        <OrderedPet />
        <DayFilter label="Placed from" name="placedFrom" />
        <DayFilter label="to" name="placedTo" />
      </Filters>
      {hasScope('orders:write') && <OrdersBulkBar selected={selected} hasMore={hasMore} />}
      <List
        page={page}
        label="Orders"
        idOf={({ id }) => id}
        columns={columns}
        defaultSort="-id"
        nameOf={({ id }) => `order ${id}`}
        canSelect={({ complete }) => !complete}
        {...(hasScope('orders:write') && { selected })}
        empty={
          <Empty
            title={`No orders${hasScope('orders:all') ? '' : ' placed with your key'}${isFiltered() ? ' match these filters' : ' yet'}`}
          >
            {isFiltered() && <a href={hrefOf('/orders')}>Show all orders</a>}
            {!isFiltered() && hasScope('orders:write') && <NewButton>Place the first order</NewButton>}
          </Empty>
        }
      />
    </>
  )
}

type Row = WithNames<Order>

function orderListColumns(): Column<Row>[] {
  const actions: Column<Row> = { title: '', minor: true, cell: (order) => <Actions order={order} /> }
  return [
    ...orderColumns({ sort: 'id' }),
    ...(hasScope('keys:manage') ? [byColumn] : []),
    {
      title: 'Ships',
      sort: 'shipDate',
      minor: true,
      rare: true,
      cell: ({ shipDate }) => shipDate && <Time at={shipDate} />,
    },
    { title: 'State', cell: ({ complete }) => <Status value={complete ? 'completed' : 'open'} /> },
    ...(hasScope('orders:write') ? [actions] : []),
  ]
}

function Actions({ order }: { order: Order }) {
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
