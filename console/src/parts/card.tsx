import type { ComponentChildren } from 'preact'
import { Icon } from './icon.tsx'

interface Props {
  /** The id of the heading, which names the section. */
  readonly id: string
  readonly title: string
  /** A link or control beside the title. */
  readonly aside?: ComponentChildren
  readonly wide?: boolean
  readonly tone?: 'warn'
  readonly children: ComponentChildren
}

/** A titled section of a screen. */
export const Card = ({ id, title, aside, wide = false, tone, children }: Props) => (
  <section class={['card', wide && 'wide', tone].filter(Boolean).join(' ')} aria-labelledby={id}>
    <header>
      <h2 id={id}>{title}</h2>
      {aside}
    </header>
    {children}
  </section>
)

export const EditButton = ({ onClick }: { onClick: () => void }) => (
  <button type="button" class="quiet small" onClick={onClick}>
    <Icon name="edit" /> Edit
  </button>
)
