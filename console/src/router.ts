import { computed, signal } from '@preact/signals'
import { consoleRoot } from './base-url.ts'
import { enter, returnTo } from './entries.ts'
import { confirmLoss, hasUnsaved } from './unsaved.ts'

// The address names the screen and its filters, so every view can be linked and works with back and forward.

const read = () => ({
  path: location.pathname.slice(consoleRoot.length).replace(/\/$/, '') || '/',
  search: location.search,
})

const current = signal(read())

/** The path of the screen below the console, such as `/pets/17`. */
export const path = computed(() => current.value.path)
export const params = computed(() => new URLSearchParams(current.value.search))
export const param = (name: string): string => params.value.get(name) ?? ''

type Values = Record<string, string | undefined>

/** The address of a screen; empty values are omitted. */
export function hrefOf(to: string, values: Values = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) if (value) search.set(name, value)
  const text = search.toString()
  return consoleRoot + (to === '/' ? '' : to) + (text && `?${text}`)
}

export function go(href: string, { replace = false } = {}): void {
  const before = path.value
  if (href !== location.pathname + location.search) {
    enter(href, { replace })
    current.value = read()
  }
  if (path.value !== before) scrollTo(0, 0)
}

/** Whether a form is lost on the way to an address: a new list loses the forms in its rows, another screen loses all. */
const isLostAt =
  (pathname: string) =>
  (form: Element): boolean =>
    pathname !== hrefOf(path.value) || form.closest('.list, dialog') !== null

/** Goes to an address, but asks before typed input is lost. */
export function navigate(href: string, options?: { replace?: boolean }): void {
  confirmLoss(() => go(href, options), isLostAt(new URL(href, location.href).pathname))
}

const hrefWith = (values: Values): string => hrefOf(path.value, { ...Object.fromEntries(params.value), ...values })

/** Changes filters of the current screen; the cursor is dropped, since it belongs to the old filters. */
export function setParams(values: Values, options?: { replace?: boolean }): void {
  navigate(hrefWith({ cursor: undefined, ...values }), options)
}

/** Opens a dialog of the current screen, or closes it without a step in the history. */
export const openDialog = (name: string): void => go(hrefWith({ do: name }))
export const closeDialog = (): void => go(hrefWith({ do: undefined }), { replace: true })

/** Goes from the screen of an item that no longer exists to its list, if that screen is the current one. */
export function leaveItem(list: string, id: number): void {
  if (path.value === `${list}/${id}`) go(hrefOf(list), { replace: true })
}

/** Whether the address has filters, a sort order or a cursor. */
export const isFiltered = (): boolean => [...params.value.keys()].some((name) => name !== 'do')

export function listenForNavigation(): void {
  history.scrollRestoration = 'manual'
  addEventListener('popstate', ({ state }) => {
    const isLost = isLostAt(location.pathname)
    if (!hasUnsaved(isLost)) {
      returnTo(state)
      current.value = read()
      return
    }
    // The browser has already left the address: return to it while the user decides.
    enter(hrefOf(path.value) + current.value.search)
    confirmLoss(() => history.back(), isLost)
  })
  // Plain clicks only: modifier keys and other buttons keep their usual meaning.
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || link.target || link.download || link.hash || event.defaultPrevented || event.button !== 0) return
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || link.origin !== location.origin) return
    if (link.pathname !== consoleRoot && !link.pathname.startsWith(`${consoleRoot}/`)) return
    event.preventDefault()
    navigate(link.pathname + link.search)
  })
}
