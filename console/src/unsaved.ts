import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

// Forms on the screen, and what else is lost with it. The user is asked before that happens.

type IsLost = (element: Element) => boolean

/** The question, and the words of its answers. */
interface Loss {
  readonly title: string
  readonly text: string
  readonly keep: string
  readonly lose: string
}

const typedInput: Loss = {
  title: 'Discard what you typed?',
  text: 'It is not saved yet.',
  keep: 'Keep typing',
  lose: 'Discard',
}

interface Unsaved {
  readonly isChanged: () => boolean
  readonly loss: Loss
}

const guarded = new Map<Element, Unsaved>()

interface Waiting extends Loss {
  readonly run: () => void
  readonly isLost: IsLost
}

/** What to do once the user agrees to lose something. */
export const waitingForConsent = signal<Waiting | undefined>(undefined)

/** Counts how often the user kept the input. */
export const timesKept = signal(0)

/** Protects a form while it has input that is not saved, or something else that would be lost. */
export function useUnsaved(form: RefObject<Element | null>, isChanged: () => boolean, loss = typedInput): void {
  // After every render, because a form may stay after its input was given up. At once: the next click may be on its way.
  useLayoutEffect(() => {
    const { current } = form
    if (current) guarded.set(current, { isChanged, loss })
    return () => {
      if (current) guarded.delete(current)
    }
  })
}

const findUnsaved = (isLost: IsLost = () => true): Unsaved | undefined =>
  [...guarded].find(([form, { isChanged }]) => isLost(form) && isChanged())?.[1]

export const hasUnsaved = (isLost?: IsLost): boolean => findUnsaved(isLost) !== undefined

/** Runs it now, or after the user agreed to lose the input of these forms. */
export function confirmLoss(run: () => void, isLost: IsLost = () => true): void {
  const found = findUnsaved(isLost)
  if (found) waitingForConsent.value = { run, isLost, ...found.loss }
  else run()
}

export function resolveLoss(isAgreed: boolean): void {
  const waiting = waitingForConsent.value
  waitingForConsent.value = undefined
  if (isAgreed) {
    for (const form of [...guarded.keys()]) if (waiting?.isLost(form)) guarded.delete(form)
    waiting?.run()
    return
  }
  timesKept.value++
  // The control that would have lost the input may be gone.
  setTimeout(() => {
    const [kept] = [...guarded].find(([, { isChanged }]) => isChanged()) ?? []
    if (document.activeElement === document.body) kept?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  })
}

/** When the user closes the tab, reloads or goes to another site, the browser asks. */
export function askOnUnload(): void {
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault()
  })
}
