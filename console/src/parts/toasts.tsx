import { signal } from '@preact/signals'
import { type About, explain } from '../explain.ts'
import { Icon } from './icon.tsx'
import { IconButton } from './icon-button.tsx'

interface Toast {
  readonly text: string
  readonly detail?: string
  readonly tone?: 'bad'
  readonly link?: { readonly href: string; readonly text: string } | undefined
  /** Replaces the message with the same key. */
  readonly key?: string | undefined
}

interface VisibleToast extends Toast {
  readonly id: number
  /** How often it was shown while it was visible. */
  readonly times: number
}

const visibleMs = 7_000
const recentMax = 3
const visible = signal<readonly VisibleToast[]>([])
let count = 0

const isEqual = (one: Toast, other: Toast): boolean =>
  one.text === other.text && one.detail === other.detail && one.link?.href === other.link?.href

/** Shows a message for a while; equal ones become one with a count. An error stays until it is closed. */
export function toast(message: Toast): void {
  const id = ++count
  const isReplaced = (one: VisibleToast) => one.key !== undefined && one.key === message.key
  const equal = visible.value.find((one) => !isReplaced(one) && isEqual(one, message))
  const others = visible.value.filter((one) => one !== equal && !isReplaced(one))
  const recent = new Set(others.filter(({ tone }) => tone !== 'bad').slice(-recentMax))
  visible.value = [
    ...others.filter((one) => one.tone === 'bad' || recent.has(one)),
    { ...message, id, times: (equal?.times ?? 0) + 1 },
  ]
  if (message.tone !== 'bad') setTimeout(() => expire(id), visibleMs)
}

/** A toast stays while the pointer is over it or it has the focus. */
function expire(id: number): void {
  const element = document.getElementById(`toast-${id}`)
  if (element?.matches(':hover, :focus-within')) setTimeout(() => expire(id), 1_000)
  else drop(id)
}

function drop(id: number): void {
  visible.value = visible.value.filter((one) => one.id !== id)
}

export function toastFailure(error: unknown, about: About = {}, key?: string): void {
  const { title, text, link, requestId } = explain(error, about)
  toast({ text: title, detail: requestId ? `${text} (request ${requestId})` : text, tone: 'bad', link, key })
}

export const Toasts = () => (
  <section class="toasts" aria-label="Messages" aria-live="polite">
    {visible.value.map(({ id, text, detail, tone, link, times }) => (
      <div key={id} id={`toast-${id}`} class={tone ? `toast ${tone}` : 'toast'}>
        <Icon name={tone === 'bad' ? 'warning' : 'check'} />
        <div>
          <p>
            {text} {times > 1 && <small class="soft">{times} times</small>}
          </p>
          {detail && <p class="soft">{detail}</p>}
          {link && <a href={link.href}>{link.text}</a>}
        </div>
        <IconButton icon="close" label="Dismiss" onClick={() => drop(id)} />
      </div>
    ))}
  </section>
)
