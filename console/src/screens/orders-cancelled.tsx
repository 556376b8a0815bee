import type { Order } from '@petstore/sdk'
import { firstFilledPage } from '../first-filled-page.ts'
import { loadKeyNames } from '../key-names.ts'
import { addPetNames, type WithPetName } from '../names.ts'
import { DayFilter } from '../parts/day-filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { KeyLink } from '../parts/key-link.tsx'
import { List } from '../parts/list.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { hrefOf, param } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usePage } from '../use-page.ts'
import { orderColumns } from './order-columns.tsx'
import { startOfDay } from './start-of-day.ts'

interface Cancellation extends Pick<Order, 'id' | 'petId' | 'quantity' | 'placedAt'> {
  readonly cancelledAt: string
  readonly cancelledBy: number | undefined
}

/** A cancelled order is gone; the log of events has it as it was, and who cancelled it. */
export function CancelledOrders() {
  const page = usePage(['cancelledFrom'], async ({ limit, cursor }, { signal }) => {
    const day = param('cancelledFrom')
    const found = await firstFilledPage(
      store().events.list(
        {
          type: 'order.cancelled',
          sort: '-id',
          limit,
          ...(cursor && { after: cursor }),
          ...(day && { from: startOfDay(day) }),
        },
        { signal },
      ),
    )
    const items = found.items.map(({ data, time, keyId }): Cancellation => {
      const { id, petId, quantity, placedAt } = data as Order
      return { id, petId, quantity, placedAt, cancelledAt: time, cancelledBy: keyId }
    })
    const keyIds = items.map(({ cancelledBy }) => cancelledBy)
    const [named, keyNames] = await Promise.all([
      addPetNames({ ...found, items }, signal),
      loadKeyNames(keyIds, signal),
    ])
    return { ...named, items: named.items.map((order) => ({ ...order, keyNames })) }
  })
  return (
    <>
      <Filters>
        <DayFilter label="Cancelled since" name="cancelledFrom" />
      </Filters>
      <List
        page={page}
        label="Cancelled orders"
        idOf={({ id }) => id}
        columns={hasScope('keys:manage') ? [...columns, by] : columns}
        empty={
          <Empty title={`No orders were cancelled${param('cancelledFrom') ? ' since that day' : ''}`}>
            <a href={hrefOf('/orders')}>Show all orders</a>
          </Empty>
        }
      />
    </>
  )
}

type Row = WithPetName<Cancellation> & { readonly keyNames: ReadonlyMap<number, string> }

const columns: Column<Row>[] = [
  ...orderColumns(),
  { title: 'Cancelled', cell: ({ cancelledAt }) => <Time at={cancelledAt} /> },
]

const by: Column<Row> = {
  title: 'By',
  minor: true,
  cell: ({ cancelledBy, keyNames }) => <KeyLink id={cancelledBy} names={keyNames} />,
}
