import type { Event } from '@petstore/sdk'
import { signal } from '@preact/signals'
import { store } from './session.ts'

// What happens in the shop, as it happens: one stream for all screens, while the page is looked at. A browser has six
// connections to a host, so a page in the background must not keep one.

const keptMax = 200

/** Newest first. */
export const happened = signal<readonly Event[]>([])
/** Why nothing more comes. */
export const streamFault = signal<unknown>(undefined)

let last: string | undefined

async function follow(ended: AbortSignal): Promise<void> {
  streamFault.value = undefined
  try {
    for await (const event of store().events.follow({ ...(last && { after: last }), signal: ended })) {
      last = event.id
      happened.value = [event, ...happened.value].slice(0, keptMax)
    }
  } catch (error) {
    if (ended.aborted) return
    streamFault.value = error
  }
}

/** Begins to listen; gives a function that ends it. */
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
