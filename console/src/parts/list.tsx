import type { ReadonlySignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { isHidden } from '../list-choices.ts'
import type { Loaded } from '../load.ts'
import { Pager } from './pager.tsx'
import { Empty, Show } from './states.tsx'
import { Table, type TableProps } from './table.tsx'

interface Props<T> extends Omit<TableProps<T>, 'rows' | 'isLoading'> {
  readonly page: ReadonlySignal<Loaded<{ readonly items: readonly T[]; readonly next?: string }>>
  /** Shown if there are no rows. */
  readonly empty: ComponentChildren
  /** How many there are on all pages, if known. */
  readonly total?: string | undefined
}

/** A page of a list as a table, with links to the other pages. */
export const List = <T,>({ page, empty, total, columns, ...table }: Props<T>) => (
  <Show of={page}>
    {({ items, next }) => (
      <>
        {items.length === 0 && (next ? <Empty title="Nothing found so far" /> : empty)}
        {items.length > 0 && (
          <Table
            {...table}
            columns={columns.filter(({ title, fixed }) => fixed || !isHidden(title))}
            rows={items}
            isLoading={page.value.isLoading}
          />
        )}
        <Pager next={next} count={items.length} total={total} />
      </>
    )}
  </Show>
)
