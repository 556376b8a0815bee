import { useSignal } from '@preact/signals'
import {
  currentView,
  deleteView,
  hasHidden,
  isHidden,
  openView,
  saveView,
  showAllColumns,
  showColumn,
  views,
} from '../list-choices.ts'
import { IconButton } from './icon-button.tsx'
import { Menu } from './menu.tsx'
import { type Column, classOf } from './table.tsx'

/** Saved views of the list on the screen, and which of its columns are shown. */
export const ListMenus = <T,>({ columns }: { columns: readonly Column<T>[] }) => (
  <div class="list-menus">
    <Views hasColumns={columns.length > 0} />
    {columns.length > 0 && <Columns columns={columns} />}
  </div>
)

const nameMax = 40

function Views({ hasColumns }: { hasColumns: boolean }) {
  const typed = useSignal('')
  const current = currentView()
  return (
    <Menu label={current ? `View: ${current.name}` : 'Views'}>
      {views().length > 0 && (
        <ul class="plain items" aria-label="Saved views">
          {views().map((view) => (
            <li key={view.name}>
              <button
                type="button"
                class="choice grows"
                aria-current={view === current ? 'true' : undefined}
                onClick={() => openView(view)}
              >
                {view.name}
              </button>
              <IconButton icon="trash" label={`Delete the view ${view.name}`} onClick={() => deleteView(view.name)} />
            </li>
          ))}
        </ul>
      )}
      <form
        class="save-view"
        onSubmit={(event) => {
          event.preventDefault()
          saveView(typed.value.trim())
          typed.value = ''
        }}
      >
        <label>
          Save this view as
          <input
            value={typed.value}
            maxLength={nameMax}
            required
            pattern=".*\S.*"
            onInput={(event) => (typed.value = event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="small">
          Save
        </button>
      </form>
      <p class="soft small">
        Filters{hasColumns && ', columns'} and sort order, kept in this browser. Saving under the name of a view
        replaces it.
      </p>
    </Menu>
  )
}

const Columns = <T,>({ columns }: { columns: readonly Column<T>[] }) => (
  <Menu label="Columns">
    <fieldset>
      <legend class="for-screen-readers">Columns that are shown</legend>
      {columns
        .filter(({ title, fixed }) => title && !fixed)
        .map((column) => (
          // What a narrow screen never shows cannot be chosen there.
          <label key={column.title} class={`check ${classOf(column) ?? ''}`}>
            <input
              type="checkbox"
              checked={!isHidden(column.title)}
              onChange={(event) => showColumn(column.title, event.currentTarget.checked)}
            />{' '}
            {column.title}
          </label>
        ))}
    </fieldset>
    <button type="button" class="quiet small" disabled={!hasHidden()} onClick={showAllColumns}>
      Show all columns
    </button>
  </Menu>
)
