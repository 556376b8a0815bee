import { signal } from '@preact/signals'
import { toast, toastFailure } from './parts/toasts.tsx'

// A deletion is sent when the time to undo it has passed, or when the user leaves the page, in a request that outlives it.

interface Deletion {
  /** Identifies the hidden item, such as `pet 17`. */
  readonly id: string
  readonly text: string
  readonly send: () => Promise<unknown>
  readonly about?: { petId?: number; categoryId?: number }
  readonly done?: () => void
}

const waiting = new Map<string, () => void>()
const hidden = signal<ReadonlySet<string>>(new Set())
let isPageLeaving = false

/** Whether an item is about to be deleted; lists hide it already. */
export const isHidden = (id: string): boolean => hidden.value.has(id)

/** Whether the user is leaving the page; only requests that outlive it arrive. */
export const isLeaving = (): boolean => isPageLeaving

export function deleteWithUndo({ id, text, send, about, done }: Deletion): void {
  const show = () => {
    hidden.value = new Set([...hidden.value].filter((one) => one !== id))
  }
  const sendNow = async () => {
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
  const undo = () => {
    waiting.delete(id)
    show()
  }
  waiting.set(id, sendNow)
  hidden.value = new Set([...hidden.value, id])
  const drop = toast({ text, action: { label: 'Undo', run: undo }, onExpire: sendNow })
}

/** Sends all pending deletions now, in requests that outlive the page. */
export function sendAllDeletions(): void {
  isPageLeaving = true
  for (const sendNow of [...waiting.values()]) sendNow()
}

export function sendDeletionsOnLeaving(): void {
  addEventListener('pagehide', () => {
    sendAllDeletions()
  })
  addEventListener('pageshow', () => {
    isPageLeaving = false
  })
}
