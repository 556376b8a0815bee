import type { ComponentChildren } from 'preact'
import { timesKept } from '../unsaved.ts'
import { ListMenus } from './list-menus.tsx'
import type { Column } from './table.tsx'

interface Props<T> {
  /** The columns of the list, if it is a table. */
  readonly columns?: readonly Column<T>[]
  readonly children?: ComponentChildren
}

/** The filters of a list, its saved views and columns. They are reset from the address if the user chooses to keep typing. */
export const Filters = <T,>({ columns = [], children }: Props<T>) => (
  <search key={timesKept.value} class="filters">
    {children}
    <ListMenus columns={columns} />
  </search>
)
