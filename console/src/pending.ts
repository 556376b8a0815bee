import { effect, signal, untracked } from '@preact/signals'
import type { About } from './explain.ts'
import { reloadScreens } from './load.ts'
import { toast, toastFailure } from './parts/toasts.tsx'
import { path } from './router.ts'

// A deletion or completion can be undone for a few seconds, then it is sent. It is sent earlier if the user leaves the screen or page.

interface PendingAction {
  /** The item, such as `pet 17`. */
  readonly id: string
  readonly verb: 'deleted' | 'cancelled' | 'completed' | 'revoked'
  /** The items of one action on many, which are undone together. */
  readonly items?: ReadonlySet<string>
  /** The message when it is done. */
  readonly doneText?: string
  /** Looks for a reason why the service would reject it. */
  readonly findRejection?: () => Promise<Error | undefined>
  readonly send: () => Promise<unknown>
  readonly about?: About
  readonly onDone?: () => void
}

interface Pending {
  readonly action: PendingAction
  /** A finished one is kept: its row is on the screen until the list has reloaded. */
  readonly stage: 'waiting' | 'sending' | 'done'
  readonly timer: ReturnType<typeof setTimeout>
}

const undoMs = 7_000
const pending = signal<ReadonlyMap<string, Pending>>(new Map())

export const findPending = (id: string): Pending | undefined =>
  pending.value.get(id) ?? [...pending.value.values()].find(({ action }) => action.items?.has(id))

function put(one: Pending): void {
  pending.value = new Map([...pending.peek(), [one.action.id, one]])
}

function drop({ action, timer }: Pending): void {
  clearTimeout(timer)
  pending.value = new Map([...pending.peek()].filter(([id]) => id !== action.id))
}

export function startPending(action: PendingAction): void {
  const { id, findRejection } = action
  if (pending.peek().has(id)) return
  const started: Pending = { action, stage: 'waiting', timer: setTimeout(() => send(id), undoMs) }
  put(started)
  // Without a response nothing is known, so the service decides.
  findRejection?.().then(
    (rejection) => rejection && pending.peek().get(id) === started && reject(started, rejection),
    () => undefined,
  )
}

export function undo(id: string): void {
  const found = untracked(() => findPending(id))
  if (found?.stage === 'waiting') drop(found)
}

async function send(id: string): Promise<void> {
  const found = pending.peek().get(id)
  if (found?.stage !== 'waiting') return
  clearTimeout(found.timer)
  const { action } = found
  // A dialog shows the progress of many.
  if (action.items) drop(found)
  else put({ ...found, stage: 'sending' })
  try {
    await action.send()
  } catch (error) {
    return reject(found, error)
  }
  if (action.items) return
  put({ ...found, stage: 'done' })
  if (action.doneText) toast({ text: action.doneText, key: id })
  action.onDone?.()
  reloadScreens()
}

function reject(rejected: Pending, reason: unknown): void {
  drop(rejected)
  toastFailure(reason, rejected.action.about, rejected.action.id)
  reloadScreens()
}

function sendAll(): void {
  for (const id of pending.peek().keys()) send(id)
}

/** A page that closes cannot send so many requests, so the browser asks first, and leaving drops them. */
const isMany = ({ action }: Pending) => action.items !== undefined

export function sendPendingOnLeaving(): void {
  addEventListener('beforeunload', (event) => {
    if ([...pending.peek().values()].some(isMany)) event.preventDefault()
  })
  addEventListener('pagehide', () => {
    for (const one of pending.peek().values()) if (isMany(one)) drop(one)
    sendAll()
  })
  effect(() => {
    path.value
    untracked(sendAll)
  })
}
