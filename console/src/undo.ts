import { signal } from '@preact/signals'
import { toast, toastFailure } from './parts/toasts.tsx'

// A deletion is sent only when the time to take it back has passed. Whoever leaves the page meanwhile has not taken it
// back: it is sent then, in a request that outlives the page.

interface Deletion {
  /** What it is called on the screen while it waits, such as `pet 17`. */
  readonly id: string
  readonly text: string
  readonly send: () => Promise<unknown>
  readonly about?: { petId?: number; categoryId?: number }
  readonly done?: () => void
}

const waiting = new Map<string, () => void>()
const hidden = signal<ReadonlySet<string>>(new Set())
let leaving = false

/** Whether something is on its way out, so that lists leave it out already. */
export const isHidden = (id: string): boolean => hidden.value.has(id)

/** Whether the page is being left, when only a request that outlives it arrives. */
export const isLeaving = (): boolean => leaving

export function deleteWithUndo({ id, text, send, about, done }: Deletion): void {
  const show = () => {
    hidden.value = new Set([...hidden.value].filter((one) => one !== id))
  }
  const goThrough = async () => {
    if (!waiting.delete(id)) return
    drop()
    try {
      await send()
      done?.()
    } catch (error) {
      toastFailure(error, about)
    }
    show()
  }
  const takeBack = () => {
    waiting.delete(id)
    show()
  }
  waiting.set(id, goThrough)
  hidden.value = new Set([...hidden.value, id])
  const drop = toast({ text, action: { label: 'Undo', run: takeBack }, onGone: goThrough })
}

/** Sends at once what still waits, by requests that outlive the page. */
export function sendAllDeletions(): void {
  leaving = true
  for (const goThrough of [...waiting.values()]) goThrough()
}

export function sendDeletionsOnLeaving(): void {
  addEventListener('pagehide', () => {
    sendAllDeletions()
  })
  addEventListener('pageshow', () => {
    leaving = false
  })
}
