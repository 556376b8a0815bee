import type { EventFilter, Order } from '@petstore/sdk'
import { searchEvents } from '../event-search.ts'
import { endOfDay, fromLocalTime, startOfDay } from '../local-time.ts'
import { DayFilter } from '../parts/day-filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { List } from '../parts/list.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { TimeFilter } from '../parts/time-filter.tsx'
import { hrefOf, param } from '../router.ts'
import { hasScope } from '../session.ts'
import { usePage } from '../use-page.ts'
import { addNames, byColumn, orderColumns, type WithNames } from './order-columns.tsx'
import { OrderedPet } from './order-filters.tsx'

interface Ended extends Pick<Order, 'id' | 'petId' | 'quantity' | 'placedAt'> {
  readonly endedAt: string
  /** The key that ended it. */
  readonly keyId: number | undefined
}

/** The ways in which an order ends, as the event log records them. */
const endings = {
  cancelled: {
    types: ['order.cancelled'],
    title: 'Cancelled',
    params: ['cancelledFrom', 'cancelledTo'],
    start: startOfDay,
    end: endOfDay,
    Filter: DayFilter,
  },
  completed: {
    // An order may be placed already complete.
    types: ['order.completed', 'order.placed'],
    title: 'Completed',
    params: ['completedFrom', 'completedTo'],
    start: fromLocalTime,
    end: fromLocalTime,
    Filter: TimeFilter,
  },
} satisfies Record<string, { types: EventFilter[]; params: [from: string, to: string] } & Record<string, unknown>>

/** Orders by when they ended, the latest first. Only the event log has this, and it has cancelled orders as they were. */
export function EndedOrders({ ending }: { ending: keyof typeof endings }) {
  const { types, title, params, start, end, Filter } = endings[ending]
  const [fromName, toName] = params
  const names = [...params, 'petId']
  const page = usePage(names, async ({ cursor = '' }, { signal }) => {
    const [from = '', to = '', petId = ''] = names.map(param)
    const about = petId ? `pet ${petId}` : ''
    const search = { type: types, from: start(from) ?? '', to: end(to) ?? '', about }
    const found = await searchEvents(search, cursor, signal)
    const items = found.items.flatMap(({ data, time, keyId }): Ended[] => {
      const { id, petId, quantity, placedAt, complete } = data as Order
      if (ending === 'completed' && !complete) return []
      return [{ id, petId, quantity, placedAt, endedAt: time, keyId }]
    })
    return addNames({ ...found, items }, signal)
  })
  const columns = [...orderColumns(), endedColumn(title), ...(hasScope('keys:manage') ? [byColumn] : [])]
  return (
    <>
      <Filters columns={columns}>
        <OrderedPet />
        <Filter label={`${title} from`} name={fromName} />
        <Filter label="to" name={toName} />
      </Filters>
      <List
        page={page}
        label={`${title} orders`}
        idOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty title={names.some(param) ? 'No orders match these filters' : `No orders were ${ending}`}>
            <a href={hrefOf('/orders')}>Show all orders</a>
          </Empty>
        }
      />
    </>
  )
}

const endedColumn = (title: string): Column<WithNames<Ended>> => ({
  title,
  cell: ({ endedAt }) => <Time at={endedAt} />,
})
