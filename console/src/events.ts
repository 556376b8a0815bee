import type { Event } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { store } from './session.ts'

// One event stream for all screens while the page is visible. A browser allows six connections per host, so a background page
// must not keep one.

const keptMax = 200

/** Newest first. */
export const recentEvents = signal<readonly Event[]>([])
/** Why the stream ended. */
export const streamFault = signal<unknown>(undefined)

let last: string | undefined

async function follow(ended: AbortSignal): Promise<void> {
  streamFault.value = undefined
  try {
    for await (const event of store().events.follow({ ...(last && { after: last }), signal: ended })) {
      last = event.id
      recentEvents.value = [event, ...recentEvents.value].slice(0, keptMax)
    }
  } catch (error) {
    if (ended.aborted) return
    streamFault.value = error
  }
}

/** Starts to listen and returns a function that stops. */
export function listenForEvents(): () => void {
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
