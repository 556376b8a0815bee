import type { Event } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { followEvent } from './live.ts'
import { store } from './session.ts'

// One event stream for all screens while the page is visible. A browser allows six connections per host, so a background page
// must not keep one.

const keptMax = 200
const pastMax = 10

/** Newest first, with a few from before the console was opened; undefined until those are loaded. */
export const recentEvents = signal<readonly Event[] | undefined>(undefined)
/** Why the stream ended. */
export const streamFault = signal<unknown>(undefined)

let last: string | undefined

/** Loads the latest events, so that the stream can start after them. If there were none before, they are news. */
async function loadLatest(ended: AbortSignal): Promise<void> {
  const { items } = await store().events.list({ sort: '-id', limit: pastMax }, { signal: ended }).firstPage()
  if (recentEvents.value) items.forEach(followEvent)
  last = items[0]?.id
  recentEvents.value = items
}

async function follow(ended: AbortSignal): Promise<void> {
  streamFault.value = undefined
  try {
    if (!last) await loadLatest(ended)
    for await (const event of store().events.follow({ after: last }, { signal: ended })) {
      last = event.id
      recentEvents.value = [event, ...(recentEvents.value ?? [])].slice(0, keptMax)
      followEvent(event)
    }
  } catch (error) {
    if (ended.aborted) return
    streamFault.value = error
  }
}

/** Starts to listen, for a key that may see other events than the last one, and returns a function that stops. */
export function listenForEvents(): () => void {
  last = undefined
  recentEvents.value = undefined
  let ended = new AbortController()
  const onVisibility = () => {
    ended.abort()
    ended = new AbortController()
    if (!document.hidden) follow(ended.signal)
  }
  onVisibility()
  document.addEventListener('visibilitychange', onVisibility)
  return () => {
    document.removeEventListener('visibilitychange', onVisibility)
    ended.abort()
  }
}
