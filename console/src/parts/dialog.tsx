import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { IconButton } from './icon-button.tsx'

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  /** Closes only by a choice inside, not by Escape. */
  readonly isBlocking?: boolean
  readonly children: ComponentChildren
}

/** The native dialog: traps the focus, closes on Escape and restores the focus. */
export function Dialog({ title, onClose, wide = false, isBlocking = false, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    // Focus the first field, not the close button.
    ref.current?.querySelector<HTMLElement>('input:not([type="checkbox"]), select, textarea')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const close = (event: Event) => {
    event.preventDefault()
    if (!isBlocking) onClose()
  }
  return (
    <dialog ref={ref} class={wide ? 'wide' : undefined} aria-labelledby={heading} onCancel={close}>
      <header>
        <h2 id={heading}>{title}</h2>
        {!isBlocking && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  )
}
