import type { ComponentChildren } from 'preact'
import { timesKept } from '../unsaved.ts'

/** The filters of a list. They start again from the address if the user keeps typing instead of changing the list. */
export const Filters = ({ children }: { children: ComponentChildren }) => (
  <search key={timesKept.value} class="filters">
    {children}
  </search>
)
