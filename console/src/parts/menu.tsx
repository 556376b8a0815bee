import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

interface Props {
  readonly label: string
  readonly children: ComponentChildren
}

/** A button with a panel below it, which closes on Escape, and when something else is clicked or gets the focus. */
export function Menu({ label, children }: Props) {
  const menu = useRef<HTMLDetailsElement>(null)
  const isOpen = useSignal(false)
  useEffect(() => {
    const closeElsewhere = ({ target }: Event) => {
      if (menu.current && !(target instanceof Node && menu.current.contains(target))) menu.current.open = false
    }
    for (const type of ['pointerdown', 'focusin']) document.addEventListener(type, closeElsewhere)
    return () => {
      for (const type of ['pointerdown', 'focusin']) document.removeEventListener(type, closeElsewhere)
    }
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !menu.current?.open) return
    event.stopPropagation()
    menu.current.open = false
    menu.current.querySelector('summary')?.focus()
  }
  return (
    <details
      ref={menu}
      class="menu"
      onKeyDown={onKeyDown}
      onToggle={(event) => (isOpen.value = event.currentTarget.open)}
    >
      <summary class="button small">{label}</summary>
      {isOpen.value && <div>{children}</div>}
    </details>
  )
}
