import type { Order } from '@petstore/sdk'
import { PetLink } from '../parts/pet-link.tsx'
import type { Column } from '../parts/table.tsx'
import { number, Time } from '../parts/time.tsx'
import type { WithPetName } from '../pet-labels.ts'
import { hrefOf } from '../router.ts'

type Row = WithPetName<Pick<Order, 'id' | 'petId' | 'quantity' | 'placedAt'>>

/** The columns that every list of orders begins with. */
export const orderColumns = (sort?: { readonly sort: string }): Column<Row>[] => [
  {
    title: 'Order',
    fixed: true,
    ...sort,
    cell: ({ id }) => (
      <a class="name" href={hrefOf(`/orders/${id}`)}>
        {id}
      </a>
    ),
  },
  { title: 'Pet', long: true, cell: PetLink },
  { title: 'Quantity', numeric: true, cell: ({ quantity }) => number(quantity) },
  { title: 'Placed', minor: true, cell: ({ placedAt }) => <Time at={placedAt} /> },
]
