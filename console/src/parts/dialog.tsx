import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

interface Props {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  /** Stays until something in it is chosen. */
  readonly modal?: 'insists'
  readonly children: ComponentChildren
}

/** The browser's own dialog: it keeps the focus inside, closes on Escape and gives the focus back. */
export function Dialog({ title, onClose, wide = false, modal, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useEffect(() => {
    const before = document.activeElement
    ref.current?.showModal()
    // The first thing to type, not the button that closes.
    ref.current?.querySelector<HTMLElement>('input:not([type="checkbox"]), select, textarea')?.focus()
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  const close = (event: Event) => {
    event.preventDefault()
    if (modal !== 'insists') onClose()
  }
  return (
    <dialog ref={ref} class={wide ? 'wide' : undefined} aria-labelledby={heading} onCancel={close}>
      <header>
        <h2 id={heading}>{title}</h2>
        {modal !== 'insists' && (
          <button type="button" class="icon" aria-label="Close" onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {children}
    </dialog>
  )
}
