import type { ComponentChildren } from 'preact'
import { openDialog } from '../router.ts'
import { Icon } from './icon.tsx'

interface Props {
  readonly title: ComponentChildren
  /** Shown before the title. */
  readonly picture?: ComponentChildren
  readonly up?: { readonly href: string; readonly text: string }
  readonly children?: ComponentChildren
}

/** The title of a screen and its actions. */
export const Heading = ({ title, picture, up, children }: Props) => (
  <header class="heading">
    <div>
      {up && <a href={up.href}>{up.text}</a>}
      <div class="titled">
        {picture}
        <h1 tabIndex={-1}>{title}</h1>
      </div>
    </div>
    <div class="actions">{children}</div>
  </header>
)

/** Opens the dialog that creates an item. */
export const NewButton = ({ children }: { children: ComponentChildren }) => (
  <button type="button" data-new onClick={() => openDialog('new')}>
    <Icon name="plus" /> {children}
  </button>
)
