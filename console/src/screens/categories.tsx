import { type Category, type NewCategory, PetStoreError, type Tagged } from '@petstore/sdk'
import { useSignal } from '@preact/signals'
import { createLatest } from '../latest.ts'
import { reloadScreens } from '../load.ts'
import { Filters } from '../parts/filters.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { Heading, NewButton } from '../parts/heading.tsx'
import { IconButton } from '../parts/icon-button.tsx'
import { List } from '../parts/list.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { Empty } from '../parts/states.tsx'
import type { Column } from '../parts/table.tsx'
import { toast, toastFailure } from '../parts/toasts.tsx'
import { Undoable } from '../parts/undoable.tsx'
import { startPending } from '../pending.ts'
import { closeDialog, hrefOf, param } from '../router.ts'
import { hasScope, store } from '../session.ts'
import { usePage } from '../use-page.ts'
import { CategoryEdit } from './category-edit.tsx'

const latest = createLatest()

export function Categories() {
  const editing = useSignal<Tagged<Category> | undefined>(undefined)
  const page = usePage(['q', 'sort'], (query, options) => store().categories.list(query, options).firstPage())
  const columns = categoryColumns((category) => (editing.value = category))
  const opened = editing.value
  /** Another edit may have begun meanwhile. */
  const closeEdit = () => {
    if (editing.peek() === opened) editing.value = undefined
  }
  return (
    <>
      <Heading title="Categories">{hasScope('pets:write') && <NewButton>Create a category</NewButton>}</Heading>
      <Filters columns={columns}>
        <SearchField label="Search categories by name" />
      </Filters>
      <List
        page={page}
        label="Categories"
        idOf={({ id }) => id}
        columns={columns}
        empty={
          <Empty title={param('q') ? 'No categories match this search' : 'No categories yet'}>
            {param('q') && <a href={hrefOf('/categories')}>Show all categories</a>}
            {!param('q') && hasScope('pets:write') && <NewButton>Create the first category</NewButton>}
          </Empty>
        }
      />
      {param('do') === 'new' && hasScope('pets:write') && (
        <FormDialog<NewCategory>
          title="Create a category"
          schema="NewCategory"
          submit="Create"
          send={async (category, { idempotencyKey, isLeft }) => {
            await store().categories.create(category, { idempotencyKey })
            toast({ text: `${category.name} was created.` })
            reloadScreens()
            if (!isLeft()) closeDialog()
          }}
          onClose={closeDialog}
        />
      )}
      {opened && <CategoryEdit category={opened} onClose={closeEdit} />}
    </>
  )
}

function categoryColumns(edit: (category: Tagged<Category>) => void): Column<Category>[] {
  // Load the current version with its ETag: the list may be outdated.
  const startEdit = (id: number) => latest(store().categories.get(id), edit).catch(toastFailure)
  return [
    { title: 'ID', sort: 'id', numeric: true, minor: true, cell: ({ id }) => <span class="soft">{id}</span> },
    {
      title: 'Name',
      fixed: true,
      long: 'less',
      sort: 'name',
      cell: ({ id, name }) => (
        <a class="name" dir="auto" href={hrefOf('/pets', { categoryId: String(id) })}>
          {name}
        </a>
      ),
    },
    {
      title: 'Description',
      long: true,
      minor: true,
      cell: ({ description }) => (
        <span class="soft" dir="auto">
          {description}
        </span>
      ),
    },
    ...(hasScope('pets:write')
      ? [
          {
            title: '',
            cell: ({ id, name }: Category) => (
              <Undoable id={`category ${id}`} isNarrow>
                <IconButton icon="edit" title="Edit" label={`Edit ${name}`} onClick={() => startEdit(id)} />
                <IconButton
                  icon="trash"
                  title="Delete"
                  label={`Delete ${name}`}
                  onClick={() => deleteCategory(id, name)}
                />
              </Undoable>
            ),
          },
        ]
      : []),
  ]
}

function deleteCategory(id: number, name: string): void {
  startPending({
    id: `category ${id}`,
    verb: 'deleted',
    doneText: `${name} was deleted.`,
    async findRejection() {
      const { items } = await store().pets.list({ categoryId: id, limit: 1 }).firstPage()
      if (items.length === 0) return undefined
      return new PetStoreError({ code: 'category_in_use', status: 409, message: `${name} has pets.` })
    },
    send: () => store().categories.delete(id),
    about: { categoryId: id },
  })
}
