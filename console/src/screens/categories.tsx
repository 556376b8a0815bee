import type { Category, NewCategory, Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { reloadScreens, useLoad } from '../load.ts'
import { Dialog } from '../parts/dialog.tsx'
import { Form } from '../parts/form.tsx'
import { Heading } from '../parts/heading.tsx'
import { Icon } from '../parts/icon.tsx'
import { Pager } from '../parts/pager.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty, Show } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { hrefOf, param, setParams } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { deleteWithUndo, isHidden } from '../undo.ts'
import { CategoryEdit } from './category-edit.tsx'

export function Categories() {
  const editing = useSignal<Tagged<Category> | undefined>(undefined)
  const [q, sort, cursor] = ['q', 'sort', 'cursor'].map(param)
  const page = useLoad(`${q} ${sort} ${cursor}`, (signal) =>
    store()
      .categories.list(
        { ...(q && { q }), ...(sort && { sort: sort as 'id' }), ...(cursor && { cursor }), limit: 50 },
        { signal },
      )
      .firstPage(),
  )
  const close = () => setParams({ do: undefined }, { replace: true })
  return (
    <>
      <Heading title="Categories">
        {hasScope('pets:write') && (
          <button type="button" onClick={() => setParams({ do: 'new' })}>
            <Icon name="plus" /> Create a category
          </button>
        )}
      </Heading>
      <search class="filters">
        <SearchField label="Search categories by name" />
      </search>
      <Show of={page}>
        {({ items, next }) => {
          const rows = items.filter(({ id }) => !isHidden(`category ${id}`))
          return (
            <>
              {rows.length === 0 ? (
                <Empty title={q ? 'No categories match this search' : 'No categories yet'} />
              ) : (
                <Table
                  label="Categories"
                  rows={rows}
                  idOf={({ id }) => id}
                  columns={columns((category) => (editing.value = category))}
                  isLoading={page.value.isLoading}
                />
              )}
              <Pager next={next} count={rows.length} />
            </>
          )
        }}
      </Show>
      {param('do') === 'new' && hasScope('pets:write') && (
        <Dialog title="Create a category" onClose={close}>
          <Form<NewCategory>
            schema="NewCategory"
            submit="Create"
            send={async (category) => {
              await store().categories.create(category)
              toast({ text: `${category.name} is created.` })
              reloadScreens()
              close()
            }}
            onCancel={close}
          />
        </Dialog>
      )}
      {editing.value && <CategoryEdit category={editing.value} onClose={() => (editing.value = undefined)} />}
    </>
  )
}

function columns(edit: (category: Tagged<Category>) => void): Column<Category>[] {
  // Load the current version with its ETag: the list may be outdated.
  const startEdit = (id: number) => store().categories.get(id).then(edit, toastFailure)
  return [
    { title: 'ID', sort: 'id', numeric: true, minor: true, cell: ({ id }) => <span class="soft">{id}</span> },
    {
      title: 'Name',
      sort: 'name',
      cell: ({ id, name }) => (
        <a class="name" href={hrefOf('/pets', { categoryId: String(id) })}>
          {name}
        </a>
      ),
    },
    { title: 'Description', minor: true, cell: ({ description }) => <span class="soft">{description}</span> },
    ...(hasScope('pets:write')
      ? [
          {
            title: '',
            cell: ({ id, name }: Category) => (
              <span class="row-actions">
                <button
                  type="button"
                  class="icon"
                  aria-label={`Edit ${name}`}
                  title="Edit"
                  onClick={() => startEdit(id)}
                >
                  <Icon name="edit" />
                </button>
                <button
                  type="button"
                  class="icon"
                  aria-label={`Delete ${name}`}
                  title="Delete"
                  onClick={() =>
                    deleteWithUndo({
                      id: `category ${id}`,
                      text: `${name} is deleted.`,
                      send: () => store().categories.delete(id),
                      about: { categoryId: id },
                      done: reloadScreens,
                    })
                  }
                >
                  <Icon name="trash" />
                </button>
              </span>
            ),
          },
        ]
      : []),
  ]
}
