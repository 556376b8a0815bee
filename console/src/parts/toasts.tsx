import { signal } from '@preact/signals'
import { explain } from '../explain.ts'
import { Icon } from './icon.tsx'
import { IconButton } from './icon-button.tsx'

interface Toast {
  readonly text: string
  readonly detail?: string
  readonly tone?: 'bad'
  readonly action?: { readonly label: string; readonly run: () => void }
  readonly link?: { readonly href: string; readonly text: string } | undefined
  /** Called when the toast expires or is closed, but not when its action runs. */
  readonly onExpire?: () => void
}

interface VisibleToast extends Toast {
  readonly id: number
}

const visibleMs = 7_000
const visible = signal<readonly VisibleToast[]>([])
let count = 0

/** Shows a message for a while. Returns a function that removes it. */
export function toast(message: Toast): () => void {
  const id = ++count
  visible.value = [...visible.value.slice(-3), { ...message, id }]
  // An error stays until it is closed.
  if (message.tone !== 'bad') setTimeout(() => expire(id), visibleMs)
  return () => drop(id)
}

/** A toast under the pointer or with the focus stays. */
function expire(id: number): void {
  const element = document.getElementById(`toast-${id}`)
  if (element?.matches(':hover, :focus-within')) setTimeout(() => expire(id), 1_000)
  else close(id)
}

function close(id: number): void {
  const closed = visible.value.find((one) => one.id === id)
  drop(id)
  closed?.onExpire?.()
}

function drop(id: number): void {
  visible.value = visible.value.filter((one) => one.id !== id)
}

export function toastFailure(error: unknown, about: { petId?: number; categoryId?: number } = {}): void {
  const { title, text, link, requestId } = explain(error, about)
  toast({ text: title, detail: requestId ? `${text} (request ${requestId})` : text, tone: 'bad', link })
}

export const Toasts = () => (
  <section class="toasts" aria-label="Messages" aria-live="polite">
    {visible.value.map(({ id, text, detail, tone, action, link }) => (
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
        <IconButton icon="close" label="Dismiss" onClick={() => close(id)} />
      </div>
    ))}
  </section>
)
