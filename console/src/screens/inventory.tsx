import { useEffect } from 'preact/hooks'
import { choicesOf } from '../description.ts'
import { firstFilledPage } from '../first-filled-page.ts'
import { useLoad } from '../load.ts'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { Heading } from '../parts/heading.tsx'
import { List } from '../parts/list.tsx'
import { PetLink } from '../parts/pet-link.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import { Status } from '../parts/status.tsx'
import type { Column } from '../parts/table.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { number } from '../parts/time.tsx'
import { Unseen } from '../parts/unseen.tsx'
import { rememberPets } from '../pet-labels.ts'
import { hrefOf, isFiltered, param, setParams } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { lowStockMax } from '../stock-levels.ts'
import { usePage } from '../use-page.ts'
import { LowStock } from './low-stock.tsx'
import { StockEdit } from './stock-edit.tsx'
import { countColumns, isUnsaved, type StockRow, StockTake, useCounts } from './stock-take.tsx'

/** The parameters of the address that select pets. */
const filters = ['q', 'status', 'maxQuantity']

export function Inventory() {
  const canNamePets = hasScope('pets:read')
  const canCount = canNamePets && hasScope('inventory:write')
  const page = usePage([...filters, 'sort'], (query, options) => loadPage(query, canNamePets, options))
  const counts = useCounts()
  const isCounting = canCount && param('mode') === 'count'
  // Counts that are not saved stay on the screen, whatever view of it is chosen.
  useEffect(() => {
    if (canCount && !isCounting && isUnsaved(counts.value)) setParams({ mode: 'count' }, { replace: true })
  })
  const columns = [...petColumns(canNamePets), ...(isCounting ? countColumns(counts) : [stock])]
  return (
    <>
      <Heading title={isCounting ? 'Stock-take' : 'Inventory'}>
        {!isCounting && <LowStock />}
        {canCount && !isCounting && (
          <button type="button" class="quiet" onClick={() => setParams({ mode: 'count' })}>
            Count the stock
          </button>
        )}
      </Heading>
      {isCounting && <StockTake counts={counts} />}
      <Unseen scope="pets:read">the names of pets</Unseen>
      <Amounts />
      <Filters columns={columns}>
        {canNamePets && <SearchField label="Search pets by name" />}
        <Filter label="Status" name="status" choices={choicesOf('PetStatus').map((status) => [status, status])} />
      </Filters>
      <List
        page={page}
        label="Inventory"
        idOf={({ petId }) => petId}
        columns={columns}
        empty={
          <Empty title={isNarrowed() ? 'No stock matches these filters' : 'No stock yet'}>
            {isNarrowed() ? <a href={hrefOf('/inventory', { mode: param('mode') })}>Show all stock</a> : <FirstStock />}
          </Empty>
        }
      />
    </>
  )
}

const isNarrowed = () => isFiltered() && [...filters, 'sort', 'cursor'].some(param)

/** Tabs for all stock, what is running low and what is out, with totals for keys that may see them. */
function Amounts() {
  const summary = useLoad('', async (signal) =>
    hasScope('orders:all') ? store().store.summary({ hours: 1 }, { signal }) : undefined,
  )
  const { lowStock, outOfStock } = summary.value.data ?? {}
  const tabs = [
    { text: 'All', maxQuantity: '', total: undefined },
    { text: `Low: ${number(lowStockMax())} or fewer`, maxQuantity: String(lowStockMax()), total: lowStock },
    { text: 'None left', maxQuantity: '0', total: outOfStock },
  ]
  const values = Object.fromEntries([...filters, 'sort', 'mode'].map((name) => [name, param(name)]))
  return (
    <Tabs
      label="Stock by amount"
      tabs={tabs.map(({ text, maxQuantity, total }) => ({
        text,
        total: total === undefined ? undefined : number(total),
        href: hrefOf('/inventory', { ...values, maxQuantity }),
        isHere: param('maxQuantity') === maxQuantity,
      }))}
    />
  )
}

type Query = Parameters<Parameters<typeof usePage>[1]>[0] & { readonly maxQuantity?: string }

/** If the key can see pets, those without a stock count are listed too, as none left. */
async function loadPage({ maxQuantity, ...query }: Query, canNamePets: boolean, options: { signal: AbortSignal }) {
  const max = maxQuantity === undefined ? undefined : Number(maxQuantity)
  if (!canNamePets) {
    return store()
      .store.inventory.list({ ...query, ...(max !== undefined && { maxQuantity: max }) }, options)
      .firstPage()
  }
  const profiles = store().pets.profiles({ ...query, ...(max !== undefined && { maxQuantity: max }) }, options)
  const { items, ...rest } = await firstFilledPage(profiles)
  rememberPets(items)
  const toRow = ({ id, name, category, stock, status }: (typeof items)[number]): StockRow => ({
    petId: id,
    quantity: stock,
    status,
    petName: name,
    petCategory: category.name,
  })
  return { ...rest, items: items.map(toRow) }
}

const petColumns = (canSort: boolean): Column<StockRow>[] => [
  { title: 'Pet', long: true, fixed: true, ...(canSort && { sort: 'name' }), cell: PetLink },
  // A phone only has room for the count and its buttons.
  ...(canSort ? [category] : []),
  {
    title: 'Status',
    minor: true,
    cell: ({ status, quantity }) => (
      <>
        <Status value={status} /> {quantity <= lowStockMax() && <Status value={quantity === 0 ? 'none left' : 'low'} />}
      </>
    ),
  },
]

const category: Column<StockRow> = {
  title: 'Category',
  long: 'less',
  minor: true,
  cell: ({ petCategory }) => <span dir="auto">{petCategory}</span>,
}

const stock: Column<StockRow> = {
  title: 'In stock',
  fixed: true,
  numeric: true,
  cell: (item) =>
    hasScope('inventory:write') ? (
      <StockEdit item={item} name={item.petName ?? `pet ${item.petId}`} />
    ) : (
      number(item.quantity)
    ),
}

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
