import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { confirmLoss } from '../unsaved.ts'
import { IconButton } from './icon-button.tsx'

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  /** Closes only by a choice inside, not by Escape. */
  readonly isBlocking?: boolean
  readonly children: ComponentChildren
}

/** The second click of a double click is this late at most. */
const doubleClickMs = 400

/** Lets nothing take a click for a moment. It is an animation, so a dialog that closes meanwhile makes it last longer. */
function ignoreClicks(): void {
  document.documentElement.animate({ pointerEvents: ['none', 'none'] }, doubleClickMs)
}

/** The native dialog: traps the focus, closes on Escape and restores the focus. Asks before it loses a changed form. */
export function Dialog({ title, onClose, wide = false, isBlocking = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Before the browser sees the next click, which a useEffect would be too late for.
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
