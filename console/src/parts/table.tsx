import type { Signal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { param, setParams } from '../router.ts'
import { Icon } from './icon.tsx'

export interface Column<T> {
  readonly title: string
  /** The name the interface sorts by, where it can. */
  readonly sort?: string
  readonly numeric?: boolean
  /** Left out where there is little room. */
  readonly minor?: boolean
  readonly cell: (row: T) => ComponentChildren
}

interface Props<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly idOf: (row: T) => number | string
  readonly columns: readonly Column<T>[]
  readonly nameOf?: (row: T) => string
  /** The ids that are chosen, where rows can be. */
  readonly chosen?: Signal<ReadonlySet<number>>
  /** What stands below a row, over its whole width. */
  readonly below?: (row: T) => ComponentChildren
  readonly busy?: boolean
}

export function Table<T>({ label, rows, idOf, columns, nameOf, chosen, below, busy = false }: Props<T>) {
  const ids = rows.map((row) => idOf(row) as number)
  const all = chosen !== undefined && ids.length > 0 && ids.every((id) => chosen.value.has(id))
  const choose = (some: readonly number[], on: boolean) => {
    if (!chosen) return
    const next = new Set(chosen.value)
    for (const id of some) on ? next.add(id) : next.delete(id)
    chosen.value = next
  }
  return (
    <div class="scroll">
      <table class={busy ? 'list busy' : 'list'} aria-label={label} aria-busy={busy}>
        <thead>
          <tr>
            {chosen && (
              <th class="choose">
                <input
                  type="checkbox"
                  aria-label="Choose all on this page"
                  checked={all}
                  onChange={() => choose(ids, !all)}
                />
              </th>
            )}
            {columns.map((column) => (
              <Head key={column.title} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const id = idOf(row)
            const more = below?.(row)
            return (
              <Fragment key={id}>
                <tr data-id={id} class={chosen?.value.has(id as number) ? 'chosen' : undefined}>
                  {chosen && (
                    <td class="choose">
                      <input
                        type="checkbox"
                        aria-label={`Choose ${nameOf?.(row) ?? id}`}
                        checked={chosen.value.has(id as number)}
                        onChange={(event) => choose([id as number], event.currentTarget.checked)}
                      />
                    </td>
                  )}
                  {columns.map(({ title, numeric, minor, cell }) => (
                    <td key={title} class={classOf(numeric, minor)}>
                      {cell(row)}
                    </td>
                  ))}
                </tr>
                {more && (
                  <tr>
                    <td colSpan={columns.length + (chosen ? 1 : 0)}>{more}</td>
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

const classOf = (numeric = false, minor = false) =>
  [numeric && 'numeric', minor && 'minor'].filter(Boolean).join(' ') || undefined

function Head<T>({ column: { title, sort, numeric, minor } }: { column: Column<T> }) {
  if (!sort) return <th class={classOf(numeric, minor)}>{title || <span class="for-screen-readers">Actions</span>}</th>
  const current = param('sort')
  const order = current === sort ? 'ascending' : current === `-${sort}` ? 'descending' : 'none'
  return (
    <th class={classOf(numeric, minor)} aria-sort={order}>
      <button type="button" class="sort" onClick={() => setParams({ sort: order === 'ascending' ? `-${sort}` : sort })}>
        {title}
        {order !== 'none' && <Icon name={order === 'ascending' ? 'up' : 'down'} />}
      </button>
    </th>
  )
}
