import { signal } from '@preact/signals'
import { baseUrl } from './place.ts'
import { isLeaving } from './undo.ts'

/** How the service answers at the moment; what was typed stays whatever this says. */
type Connection = 'good' | 'offline' | 'unavailable'

export const connection = signal<Connection>('good')
/** Counts up when data may have changed or can be had again; what is shown is loaded anew. */
export const revision = signal(0)
/** When requests that were refused for want of room go on. */
export const waitingUntil = signal(0)

const probeMs = 1_500

/** What the SDK sends its requests with: the same as fetch, and it notices how the service is doing. */
export async function watchedFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    // What was let go must arrive, also when the page is left before the answer comes.
    const keepalive = init.method === 'DELETE' || isLeaving()
    const response = await fetch(url, keepalive ? { ...init, keepalive } : init)
    if (response.status === 503) lost('unavailable')
    else if (connection.value !== 'good') found()
    if (response.status === 429) {
      const seconds = Number(response.headers.get('Retry-After'))
      if (Number.isFinite(seconds)) waitingUntil.value = Date.now() + seconds * 1000
    }
    return response
  } catch (error) {
    if (!init.signal?.aborted) lost('offline')
    throw error
  }
}

function lost(how: Connection): void {
  const wasGood = connection.value === 'good'
  connection.value = how
  if (wasGood) setTimeout(probe, probeMs)
}

function found(): void {
  connection.value = 'good'
  revision.value++
}

/** Asks until the service can work again. This needs no key and costs nobody's quota. */
async function probe(): Promise<void> {
  if (connection.value === 'good') return
  try {
    const { ok } = await fetch(`${baseUrl}/readyz`, { cache: 'no-store' })
    if (ok) return found()
    connection.value = 'unavailable'
  } catch {
    connection.value = 'offline'
  }
  setTimeout(probe, probeMs)
}
