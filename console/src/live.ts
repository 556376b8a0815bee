import type { Event } from '@petstore/sdk'
import { effect, signal } from '@preact/signals'
import { reserveRequests } from './budget.ts'
import { revision } from './connection.ts'
import { path } from './router.ts'
import { hasUnsaved } from './unsaved.ts'

// Screens follow the events: when one changes what the screen shows, its data is loaded again.

/** Counts up when the screen is to load its data again because of events. */
export const liveRevision = signal(0)

/** Events come in groups, such as an order and its stock: wait for all of them. */
const collectMs = 400
const retryMs = 500
/** A pointer that rests this long is not about to click. */
const heldMsMax = 10_000
/** A page, and the names in it. */
const requestsPerLoad = 2

/** The kinds of events that change each list. Every kind changes the overview. */
const kindsOf: Readonly<Record<string, readonly string[]>> = {
  pets: ['pet', 'inventory', 'category'],
  categories: ['category'],
  orders: ['order'],
  inventory: ['inventory', 'pet', 'category'],
  keys: ['key'],
  webhooks: ['webhook'],
  activity: ['pet', 'inventory', 'category', 'order', 'key', 'webhook'],
}

/** The kind of each item that has its own screen. */
const ownKinds: Readonly<Record<string, string>> = { pets: 'pet', orders: 'order', keys: 'key', webhooks: 'webhook' }

/** What the screen of an item also shows: the events that name the item in this field. */
const partOf: Readonly<Record<string, 'petId' | 'keyId'>> = { pets: 'petId', keys: 'keyId' }

/** The events that change a name on the screen of an item, whichever item they are about. */
const namesOn: Readonly<Record<string, string>> = { pets: 'category.updated' }

function changesScreen({ type, data }: Event): boolean {
  const [, screen = '', item] = path.peek().split('/')
  const [kind = ''] = type.split('.')
  if (item === undefined) return screen === '' || kindsOf[screen]?.includes(kind) === true
  if (namesOn[screen] === type) return true
  const { id, ...others } = data as { id?: number; petId?: number; keyId?: number }
  const shownWith = partOf[screen]
  return Number(item) === (kind === ownKinds[screen] ? id : shownWith && others[shownWith])
}

let loads = 0

/** Counts a load that follows the events. */
export function joinLive(): () => void {
  loads++
  return () => {
    loads--
  }
}

let timer: ReturnType<typeof setTimeout> | undefined
let heldSince = 0

export function followEvent(event: Event): void {
  if (changesScreen(event)) reloadSoon()
}

export function reloadSoon(): void {
  if (timer !== undefined) return
  heldSince = Date.now() + collectMs
  timer = setTimeout(reload, collectMs)
}

function reload(): void {
  const waitMs = isUserBusy() ? retryMs : reserveRequests(loads * requestsPerLoad)
  if (waitMs > 0) {
    timer = setTimeout(reload, waitMs)
    return
  }
  timer = undefined
  liveRevision.value++
}

const canHover = matchMedia('(hover: hover)')

/** Rows must not move while the user points at a button in them, edits one, or can undo what happened to one. */
function isUserBusy(): boolean {
  const isPointing =
    canHover.matches &&
    Date.now() - heldSince < heldMsMax &&
    document.querySelector('tbody :is(a, button, input, select):hover') !== null
  const canUndo = document.querySelector('tbody .undo[aria-disabled="false"]') !== null
  return isPointing || canUndo || hasUnsaved((form) => form.closest('.list') !== null)
}

/** A screen that is opened, or loads its data for another reason, is up to date. */
effect(() => {
  path.value
  revision.value
  clearTimeout(timer)
  timer = undefined
})
