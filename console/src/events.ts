import { BannedError, type Event, PetStoreError } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { followKey } from './key-names.ts'
import { followEvent, reloadSoon } from './live.ts'
import { followPet, forgetPets } from './pet-labels.ts'
import { store } from './session.ts'

// One event stream for all screens while the page is visible. A browser allows six connections per host, so a background page
// must not keep one.

export const keptMax = 200
const pastMax = 10
/** Rejections that pass with time, after which the stream is opened again. */
const passing = new Set(['key_banned', 'too_many_streams', 'events_pruned'])
const retryMs = 30_000
const retryMsMax = 600_000

/** Newest first: what has happened since the console was opened and, once a screen has asked for them, a few from before. */
export const recentEvents = signal<readonly Event[]>([])
/** How many have arrived since. */
export const arrivedCount = signal(0)
/** How often events may have been missed. */
export const gapCount = signal(0)
/** Why the stream ended. */
export const streamFault = signal<unknown>(undefined)

let last: string | undefined
let hasPast = false
/** How often in a row the stream was rejected. */
let rejections = 0

/** The latest events, with a few from before the console was opened, which are loaded once. */
export async function loadPastEvents(ended: AbortSignal): Promise<typeof recentEvents> {
  if (hasPast) return recentEvents
  const { items } = await store().events.list({ sort: '-id', limit: pastMax }, { signal: ended }).firstPage()
  hasPast = true
  const later = eventsAfter(items)
  const known = new Set([...later, ...items].map(({ id }) => id))
  const earlier = recentEvents.peek().filter(({ id }) => !known.has(id))
  recentEvents.value = [...later, ...items, ...earlier].slice(0, keptMax)
  return recentEvents
}

/** `isLate`: something may have happened since the last event. */
async function follow(ended: AbortSignal, isLate = false): Promise<void> {
  // Without an event to continue from, it is unknown what.
  const hasGap = isLate && last === undefined
  const onOpen = () => {
    streamFault.value = undefined
    rejections = 0
    if (!hasGap) return
    hasPast = false
    gapCount.value++
    forgetPets()
    reloadSoon()
  }
  try {
    for await (const event of store().events.follow({ after: last }, { signal: ended, onOpen })) {
      last = event.id
      recentEvents.value = [event, ...recentEvents.value].slice(0, keptMax)
      arrivedCount.value++
      followPet(event)
      followKey(event)
      followEvent(event)
    }
  } catch (error) {
    if (ended.aborted) return
    streamFault.value = error
    if (error instanceof PetStoreError && passing.has(error.code)) followLater(error, ended)
  }
}

function followLater(error: PetStoreError, ended: AbortSignal): void {
  // What came next is no longer in the log.
  if (error.code === 'events_pruned') last = undefined
  const banMs = error instanceof BannedError ? error.until.getTime() - Date.now() : 0
  const backOffMs = Math.min(retryMsMax, retryMs * 2 ** rejections++)
  const timer = setTimeout(() => follow(ended, true), Math.max(backOffMs, banMs))
  ended.addEventListener('abort', () => clearTimeout(timer))
}

/** What the stream has that is newer than a page, newest first. */
export function eventsAfter(page: readonly Event[]): readonly Event[] {
  const recent = recentEvents.value
  const [newest] = page
  if (newest === undefined) return recent
  const index = recent.findIndex(({ id }) => id === newest.id)
  if (index >= 0) return recent.slice(0, index)
  const known = new Set(page.map(({ id }) => id))
  return recent.filter(({ id, time }) => time >= newest.time && !known.has(id))
}

/** Starts to listen, for a key that may see different events from the last one, and returns a function that stops. */
export function listenForEvents(): () => void {
  last = undefined
  hasPast = false
  recentEvents.value = []
  streamFault.value = undefined
  rejections = 0
  forgetPets()
  let ended = new AbortController()
  follow(ended.signal)
  const onVisibility = () => {
    ended.abort()
    ended = new AbortController()
    if (document.hidden) return
    // Also if the stream is rejected.
    if (last === undefined) reloadSoon()
    follow(ended.signal, true)
  }
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    ended.abort()
  }
}
