import type { PetProfile, Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { choicesOf } from '../description.ts'
import { useKept } from '../entries.ts'
import { firstFilledPage } from '../first-filled-page.ts'
import { useLoad } from '../load.ts'
import { findSharedNames } from '../parts/category-name.tsx'
import { Filter } from '../parts/filter.tsx'
import { Filters } from '../parts/filters.tsx'
import { Heading, NewButton } from '../parts/heading.tsx'
import { List } from '../parts/list.tsx'
import { CategoryPicker } from '../parts/pickers.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import { number } from '../parts/time.tsx'
import { rememberPets } from '../pet-labels.ts'
import { closeDialog, hrefOf, isFiltered, openDialog, param, setParams } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { ensureSettings } from '../stock-levels.ts'
import { usePage } from '../use-page.ts'
import { PetEdit } from './pet-edit.tsx'
import { petFilters, petParams, stockChoices } from './pet-filters.ts'
import { PetsBulkBar } from './pets-bulk.tsx'
import { petNames } from './pets-bulk-tasks.ts'
import { petColumns } from './pets-columns.tsx'
import { ExportPets } from './pets-export.tsx'
import { ImportPets } from './pets-import.tsx'
import { NewPet } from './pets-new.tsx'

export function Pets() {
  const selected = useKept<ReadonlySet<number>>('selected', new Set())
  const editing = useSignal<Tagged<PetProfile> | undefined>(undefined)
  /** Another edit may have begun meanwhile. */
  const closeEdit = (opened: Tagged<PetProfile>) => {
    if (editing.peek() === opened) editing.value = undefined
  }
  const page = usePage(petParams, async ({ limit, cursor }, options) => {
    if (param('stock') === 'low') await ensureSettings(options.signal)
    const query = { ...petFilters(), limit, ...(cursor && { cursor }) }
    const found = await firstFilledPage(store().pets.profiles(query, options))
    rememberPets(found.items)
    return found
  })
  const total = useLoad(`${param('status')} ${param('categoryId')}`, async (signal) => {
    const { status, categoryId } = petFilters()
    return store().pets.counts({ ...(status && { status }), ...(categoryId && { categoryId }) }, { signal })
  })
  const dialog = param('do')
  const { items = [], next } = page.value.data ?? {}
  for (const { id, name } of items) petNames.set(id, name)
  // Searches and stock are not counted: that would take as long as reading them all.
  const isCounted = param('q') === '' && param('stock') === ''
  const totalText = total.value.data && isCounted ? number(total.value.data.total) : undefined
  const columns = petColumns(editing, findSharedNames(items))
  return (
    <>
      <Heading title="Pets">
        {hasScope('pets:write') && (
          <button type="button" class="quiet" onClick={() => openDialog('import')}>
            Import
          </button>
        )}
        <button type="button" class="quiet" onClick={() => openDialog('export')}>
          Export
        </button>
        {hasScope('pets:write') && <NewButton>Create a pet</NewButton>}
      </Heading>
      <Filters columns={columns}>
        <SearchField label="Search pets by name" />
        <Filter label="Status" name="status" choices={choicesOf('PetStatus').map((status) => [status, status])} />
        <Filter label="Stock" name="stock" choices={stockChoices} />
        <CategoryPicker
          label="Category"
          placeholder="Any category"
          value={Number(param('categoryId')) || undefined}
          onChange={(id) => setParams({ categoryId: id ? String(id) : undefined })}
        />
      </Filters>
      {hasScope('pets:write') && (
        <PetsBulkBar selected={selected} hasMore={next !== undefined || param('cursor') !== ''} total={totalText} />
      )}
      <List
        page={page}
        label="Pets"
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={columns}
        below={({ id }) => {
          const opened = editing.value
          return opened?.id === id && <PetEdit pet={opened} onClose={() => closeEdit(opened)} />
        }}
        {...(hasScope('pets:write') && { selected })}
        empty={
          <Empty title={isFiltered() ? 'No pets match these filters' : 'No pets yet'}>
            {isFiltered() ? <a href={hrefOf('/pets')}>Show all pets</a> : <FirstPet />}
          </Empty>
        }
        total={totalText}
      />
      {dialog === 'new' && hasScope('pets:write') && <NewPet onClose={closeDialog} />}
      {dialog === 'import' && hasScope('pets:write') && <ImportPets onClose={closeDialog} />}
      {dialog === 'export' && <ExportPets onClose={closeDialog} />}
    </>
  )
}

/** What to do in a shop without pets. */
const FirstPet = () =>
  hasScope('pets:write') ? (
    <p class="actions">
      <NewButton>Create the first pet</NewButton>
      <button type="button" class="quiet" onClick={() => openDialog('import')}>
        Import a file
      </button>
    </p>
  ) : null
