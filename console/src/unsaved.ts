import { signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect } from 'preact/hooks'

// Forms on the screen. The user is asked before input that was not saved is lost.

type IsLost = (form: Element) => boolean

const forms = new Map<Element, () => boolean>()

/** What to do once the user agrees to lose the input. */
export const waitingForConsent = signal<(() => void) | undefined>(undefined)

/** Counts how often the user kept the input. */
export const timesKept = signal(0)

/** Protects a form while it has input that is not saved. */
export function useUnsaved(form: RefObject<Element | null>, isChanged: () => boolean): void {
  // After every render, because a form may stay after its input was given up.
  useEffect(() => {
    const { current } = form
    if (current) forms.set(current, isChanged)
    return () => {
      if (current) forms.delete(current)
    }
  })
}

export const hasUnsaved = (isLost: IsLost = () => true): boolean =>
  [...forms].some(([form, isChanged]) => isLost(form) && isChanged())

/** Runs it now, or after the user agreed to lose the input of these forms. */
export function confirmLoss(run: () => void, isLost?: IsLost): void {
  if (hasUnsaved(isLost)) waitingForConsent.value = run
  else run()
}

export function resolveLoss(isAgreed: boolean): void {
  const run = waitingForConsent.value
  waitingForConsent.value = undefined
  if (isAgreed) {
    forms.clear()
    run?.()
    return
  }
  timesKept.value++
  // The control that would have lost the input may be gone.
  setTimeout(() => {
    const [kept] = [...forms].find(([, isChanged]) => isChanged()) ?? []
    if (document.activeElement === document.body) kept?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  })
}

/** When the user closes the tab, reloads or goes to another site, the browser asks. */
export function askOnUnload(): void {
  addEventListener('beforeunload', (event) => {
    if (hasUnsaved()) event.preventDefault()
  })
}
