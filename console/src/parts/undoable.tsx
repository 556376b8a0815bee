import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import { findPending, undo } from '../pending.ts'

interface Props {
  /** The id of the item, as in pending.ts. */
  readonly id: string
  /** Only screen readers are told what will happen; there is no room for the text. */
  readonly isNarrow?: boolean
  readonly children: ComponentChildren
}

const prefixes = { waiting: 'Will be', sending: 'Being', done: 'Is' } as const

/** The actions of an item. While one is pending, Undo takes their place, and the focus if one of them had it. */
export function Undoable({ id, isNarrow = false, children }: Props) {
  const pending = findPending(id)
  const isPending = pending !== undefined
  const frame = useRef<HTMLSpanElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const text = useId()
  useLayoutEffect(() => {
    const before = document.activeElement
    if (!isPending || !(before === document.body || frame.current?.contains(before))) return
    button.current?.focus()
    return () => restoreFocus(before, frame.current)
  }, [isPending])
  return (
    <span
      ref={frame}
      class="undoable"
      data-pending={pending?.action.verb}
      // The second click of a double click, and a key that is held, were meant for what was here before.
      onClickCapture={(event) => event.detail > 1 && event.stopPropagation()}
      onKeyDownCapture={(event) => event.repeat && event.preventDefault()}
    >
      <span class={isPending ? 'covered' : undefined}>{children}</span>
      {pending && (
        <span>
          <small id={text} class={isNarrow ? 'for-screen-readers' : 'soft'}>
            {prefixes[pending.stage]} {pending.action.verb}
          </small>
          <button
            ref={button}
            type="button"
            class="quiet small undo"
            aria-describedby={text}
            aria-disabled={pending.stage !== 'waiting'}
            onClick={() => undo(id)}
          >
            {pending.action.items ? 'Undo all' : 'Undo'}
          </button>
        </span>
      )}
    </span>
  )
}

/** Focuses the action again, else the row, the next row or the heading, whatever is left once the screen is up to date. */
function restoreFocus(action: Element | null, frame: HTMLElement | null): void {
  const row = frame?.closest('tr')
  const links = [...(row?.parentElement?.querySelectorAll('a.name') ?? [])]
  const here = links.findIndex((link) => row?.contains(link))
  const targets = [action, ...links.slice(here), ...links.slice(0, Math.max(0, here)).reverse()]
  queueMicrotask(() => {
    if (document.activeElement !== document.body) return
    const target = targets.find((one) => one?.isConnected && one !== document.body) ?? document.querySelector('main h1')
    if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  })
}
