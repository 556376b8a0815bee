import { signal } from '@preact/signals'
import { explain } from '../explain.ts'
import { Icon } from './icon.tsx'

interface Toast {
  readonly text: string
  readonly detail?: string
  readonly tone?: 'bad'
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly link?: { readonly href: string; readonly text: string } | undefined
  /** Called when it goes by itself or is closed, not when its action was chosen. */
  readonly onGone?: () => void
}

interface Shown extends Toast {
  readonly id: number
}

const shownMs = 7_000
const shown = signal<readonly Shown[]>([])
let count = 0

/** Says what has happened, for a while. Gives a function that takes it away. */
export function toast(what: Toast): () => void {
  const id = ++count
  shown.value = [...shown.value.slice(-3), { ...what, id }]
  // A fault stays until it was read.
  if (what.tone !== 'bad') setTimeout(() => expire(id), shownMs)
  return () => drop(id)
}

/** It waits while somebody points at it or has the focus in it. */
function expire(id: number): void {
  const element = document.getElementById(`toast-${id}`)
  if (element?.matches(':hover, :focus-within')) setTimeout(() => expire(id), 1_000)
  else close(id)
}

function close(id: number): void {
  const gone = shown.value.find((one) => one.id === id)
  drop(id)
  gone?.onGone?.()
}

function drop(id: number): void {
  shown.value = shown.value.filter((one) => one.id !== id)
}

export function toastFailure(error: unknown, about: { petId?: number; categoryId?: number } = {}): void {
  const { title, text, link, requestId } = explain(error, about)
  toast({ text: title, detail: requestId ? `${text} (request ${requestId})` : text, tone: 'bad', link })
}

export const Toasts = () => (
  <section class="toasts" aria-label="Messages" aria-live="polite">
    {shown.value.map(({ id, text, detail, tone, action, link }) => (
      <div key={id} id={`toast-${id}`} class={tone ? `toast ${tone}` : 'toast'}>
        <Icon name={tone === 'bad' ? 'warning' : 'check'} />
        <div>
          <p>{text}</p>
          {detail && <p class="soft">{detail}</p>}
          {link && <a href={link.href}>{link.text}</a>}
        </div>
        {action && (
          <button
            type="button"
            class="quiet small"
            onClick={() => {
              drop(id)
              action.run()
            }}
          >
            {action.label}
          </button>
        )}
        <button type="button" class="icon" aria-label="Dismiss" onClick={() => close(id)}>
          <Icon name="close" />
        </button>
      </div>
    ))}
  </section>
)
