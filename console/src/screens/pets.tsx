import type { PetProfile, Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { choicesOf } from '../description.ts'
import { useLoad } from '../load.ts'
import { Filter } from '../parts/filter.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pager } from '../parts/pager.tsx'
import { CategoryPicker } from '../parts/pickers.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Show } from '../parts/states.tsx'
import { Table } from '../parts/table.tsx'
import { number } from '../parts/time.tsx'
import { hrefOf, param, params, setParams } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { isHidden } from '../undo.ts'
import { petFilters } from './pet-filters.ts'
import { PetRowEdit } from './pet-row-edit.tsx'
import { BulkBar } from './pets-bulk.tsx'
import { petColumns } from './pets-columns.tsx'
import { ExportPets } from './pets-export.tsx'
import { ImportPets } from './pets-import.tsx'
import { NewPet } from './pets-new.tsx'

const pageSize = 50

export function Pets() {
  const selected = useSignal<ReadonlySet<number>>(new Set())
  const editing = useSignal<Tagged<PetProfile> | undefined>(undefined)
  const key = new URLSearchParams([...params.value].filter(([name]) => name !== 'do')).toString()
  const page = useLoad(key, (signal) =>
    store()
      .pets.profiles(
        { ...petFilters(), limit: pageSize, ...(param('cursor') && { cursor: param('cursor') }) },
        { signal },
      )
      .firstPage(),
  )
  const total = useLoad(`${param('status')} ${param('categoryId')}`, async (signal) => {
    const { status, categoryId } = petFilters()
    return store().pets.counts({ ...(status && { status }), ...(categoryId && { categoryId }) }, { signal })
  })
  const close = () => setParams({ do: undefined, cursor: param('cursor') }, { replace: true })
  const open = (what: string) => () => setParams({ do: what, cursor: param('cursor') })
  const dialog = param('do')
  const totalText = total.value.data && param('q') === '' ? number(total.value.data.total) : undefined
  return (
    <>
      <Heading title="Pets">
        {hasScope('pets:write') && (
          <button type="button" class="quiet" onClick={open('import')}>
            Import
          </button>
        )}
        <button type="button" class="quiet" onClick={open('export')}>
          Export
        </button>
        {hasScope('pets:write') && (
          <button type="button" onClick={open('new')}>
            <Icon name="plus" /> Register a pet
          </button>
        )}
      </Heading>
      <search class="filters">
        <SearchField label="Search pets by name" />
        <Filter label="Status" name="status" choices={choicesOf('PetStatus').map((status) => [status, status])} />
        <CategoryPicker
          label="Category"
          placeholder="Any category"
          value={Number(param('categoryId')) || undefined}
          onChange={(id) => setParams({ categoryId: id ? String(id) : undefined })}
        />
      </search>
      {hasScope('pets:write') && <BulkBar selected={selected} />}
      <Show of={page}>
        {({ items, next }) => {
          const rows = items.filter(({ id }) => !isHidden(`pet ${id}`))
          return (
            <>
              {rows.length === 0 ? (
                <Empty title={key === '' ? 'No pets yet' : 'No pets match these filters'}>
                  {key !== '' && <a href={hrefOf('/pets')}>Show all pets</a>}
                </Empty>
              ) : (
                <Table
                  label="Pets"
                  rows={rows}
                  idOf={({ id }) => id}
                  nameOf={({ name }) => name}
                  columns={petColumns(editing)}
                  below={({ id }) =>
                    editing.value?.id === id && (
                      <PetRowEdit pet={editing.value} onClose={() => (editing.value = undefined)} />
                    )
                  }
                  isLoading={page.value.isLoading}
                  {...(hasScope('pets:write') && { selected })}
                />
              )}
              <Pager next={next} count={rows.length} total={totalText} />
            </>
          )
        }}
      </Show>
      {dialog === 'new' && hasScope('pets:write') && <NewPet onClose={close} />}
      {dialog === 'import' && hasScope('pets:write') && <ImportPets onClose={close} />}
      {dialog === 'export' && <ExportPets onClose={close} />}
    </>
  )
}
