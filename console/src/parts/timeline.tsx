import type { ComponentChildren } from 'preact'
import { Time } from './time.tsx'

export interface TimelineItem {
  readonly id: number | string
  readonly at: string
  readonly title: ComponentChildren
  readonly detail?: ComponentChildren
  readonly tone?: 'in' | 'out'
}

export const Timeline = ({ label, items }: { label: string; items: readonly TimelineItem[] }) => (
  <ol class="timeline" aria-label={label}>
    {items.map(({ id, at, title, detail, tone }) => (
      <li key={id} class={tone}>
        <div>
          <strong>{title}</strong> <Time at={at} />
        </div>
        {detail && <div class="soft">{detail}</div>}
      </li>
    ))}
  </ol>
)
