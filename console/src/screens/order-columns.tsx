import type { Order, Page } from '@petstore/sdk'
import { loadKeyNames } from '../key-names.ts'
import { KeyLink } from '../parts/key-link.tsx'
import { PetLink } from '../parts/pet-link.tsx'
import type { Column } from '../parts/table.tsx'
import { number, Time } from '../parts/time.tsx'
import { addPetNames, type WithPetName } from '../pet-labels.ts'
import { hrefOf } from '../router.ts'

type Row = WithPetName<Pick<Order, 'id' | 'petId' | 'quantity' | 'placedAt'>>

interface ByKey {
  readonly keyId?: number | undefined
}

export type WithNames<T> = WithPetName<T> & { readonly keyNames: ReadonlyMap<number, string> }

/** Adds the names of its pet and its key to each order. */
export async function addNames<T extends ByKey & { readonly petId: number }>(
  page: Page<T>,
  signal: AbortSignal,
): Promise<Page<WithNames<T>>> {
  const keyIds = page.items.map(({ keyId }) => keyId)
  const [named, keyNames] = await Promise.all([addPetNames(page, signal), loadKeyNames(keyIds, signal)])
  return { ...named, items: named.items.map((order) => ({ ...order, keyNames })) }
}

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

/** The key that placed or ended an order. */
export const byColumn: Column<WithNames<ByKey>> = {
  title: 'By',
  long: 'less',
  minor: true,
  rare: true,
  cell: ({ keyId, keyNames }) => <KeyLink id={keyId} names={keyNames} />,
}
