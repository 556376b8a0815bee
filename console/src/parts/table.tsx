import type { Signal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { param, setParams } from '../router.ts'
import { Icon } from './icon.tsx'

export interface Column<T> {
  readonly title: string
  /** The API's sort key, if the column is sortable. */
  readonly sort?: string
  readonly numeric?: boolean
  /** Text of any length: it gets the room that is left, or a smaller part of it, and is cut off there. */
  readonly long?: boolean | 'less'
  /** Hidden on narrow screens. */
  readonly minor?: boolean
  /** Hidden on all but wide screens. */
  readonly rare?: boolean
  /** The user cannot hide it: the list would be useless without it. */
  readonly fixed?: boolean
  readonly cell: (row: T) => ComponentChildren
}

export interface TableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly idOf: (row: T) => number | string
  readonly columns: readonly Column<T>[]
  readonly nameOf?: (row: T) => string
  /** The ids of selected rows, if rows can be selected. */
  readonly selected?: Signal<ReadonlySet<number>>
  /** Whether a row can be selected; every one unless given. */
  readonly canSelect?: (row: T) => boolean
  /** Content below a row, over its full width. */
  readonly below?: (row: T) => ComponentChildren
  readonly isLoading?: boolean
  /** The sort order if the address names none. */
  readonly defaultSort?: string
  /** On a phone, cells are stacked, with the first one to the right of the second. */
  readonly isStacked?: boolean
}

export function Table<T>(props: TableProps<T>) {
  const {
    label,
    rows,
    idOf,
    columns,
    nameOf,
    selected,
    canSelect = () => true,
    below,
    isLoading = false,
    defaultSort = 'id',
    isStacked = false,
  } = props
  const ids = rows.filter(canSelect).map((row) => idOf(row) as number)
  const all = selected !== undefined && ids.length > 0 && ids.every((id) => selected.value.has(id))
  const select = (some: readonly number[], on: boolean) => {
    if (!selected) return
    const next = new Set(selected.value)
    for (const id of some) on ? next.add(id) : next.delete(id)
    selected.value = next
  }
  return (
    <div class="scroll">
      <table
        class={['list table', isLoading && 'busy', isStacked && 'stacked'].filter(Boolean).join(' ')}
        aria-label={label}
        aria-busy={isLoading}
      >
        <thead>
          <tr>
            {selected && (
              <th class="choose">
                <input
                  type="checkbox"
                  aria-label="Select all on this page"
                  checked={all}
                  onChange={() => select(ids, !all)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.title} column={column} defaultSort={defaultSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row)
            const more = below?.(row)
            return (
              <Fragment key={id}>
                <tr data-id={id} class={selected?.value.has(id as number) ? 'chosen' : undefined}>
                  {selected && (
                    <td class="choose">
                      {canSelect(row) && (
                        <input
                          type="checkbox"
                          aria-label={`Select ${nameOf?.(row) ?? id}`}
                          checked={selected.value.has(id as number)}
                          onChange={(event) => select([id as number], event.currentTarget.checked)}
                        />
                      )}
                    </td>
                  )}
                  {columns.map((column) => (
                    <td key={column.title} class={classOf(column)}>
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
                {more && (
                  <tr>
                    <td colSpan={columns.length + (selected ? 1 : 0)}>{more}</td>
                  </tr>
                )}
              </Fragment>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const kinds = ['numeric', 'long', 'minor', 'rare'] as const

export const classOf = (column: Pick<Column<never>, (typeof kinds)[number]>) =>
  [...kinds.filter((kind) => column[kind]), column.long === 'less' && 'less'].filter(Boolean).join(' ') || undefined

interface HeadProps<T> {
  readonly column: Column<T>
  readonly defaultSort: string
}

const sortIcons = { ascending: 'up', descending: 'down', none: 'sort' } as const

function Head<T>({ column, defaultSort }: HeadProps<T>) {
  const { title, sort } = column
  if (!sort) return <th class={classOf(column)}>{title || <span class="for-screen-readers">Actions</span>}</th>
  const current = param('sort') || defaultSort
  const order = current === sort ? 'ascending' : current === `-${sort}` ? 'descending' : 'none'
  return (
    <th class={classOf(column)} aria-sort={order}>
      <button
        type="button"
        class={order === 'none' ? 'sort' : 'sort chosen'}
        onClick={() => setParams({ sort: order === 'ascending' ? `-${sort}` : sort })}
      >
        {title}
        <Icon name={sortIcons[order]} />
      </button>
    </th>
  )
}
