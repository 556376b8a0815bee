import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { confirmLoss } from '../unsaved.ts'
import { IconButton } from './icon-button.tsx'

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  /** Closes only through a choice inside it, not on Escape. */
  readonly isBlocking?: boolean
  readonly children: ComponentChildren
}

/** The second click of a double click comes at most this late. */
const doubleClickMs = 400

/** Ignores all clicks for a moment. It uses an animation, so another dialog that closes meanwhile prolongs it. */
function ignoreClicks(): void {
  document.documentElement.animate({ pointerEvents: ['none', 'none'] }, doubleClickMs)
}

/** The native dialog: traps the focus, closes on Escape and restores the focus. Asks before it loses a changed form. */
export function Dialog({ title, onClose, wide = false, isBlocking = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // This runs before the browser sees the next click, for which useEffect would be too late.
  useLayoutEffect(() => ignoreClicks, [])
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    // Focus the first field, not the close button.
    ref.current?.querySelector<HTMLElement>('input:not([type="checkbox"]), select, textarea')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const requestClose = () => confirmLoss(onClose, (form) => ref.current?.contains(form) === true)
  const cancel = (event: Event) => {
    event.preventDefault()
    if (!isBlocking) requestClose()
  }
  // The browser closes a dialog on the second Escape whatever its cancel event says, so the key itself is handled.
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.stopPropagation()
    cancel(event)
  }
  return (
    <dialog
      ref={ref}
      class={wide ? 'wide' : undefined}
      aria-labelledby={heading}
      onCancel={cancel}
      onKeyDown={onKeyDown}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        {!isBlocking && <IconButton icon="close" label="Close" onClick={requestClose} />}
      </header>
      {children}
    </dialog>
  )
}
