import { signal } from '@preact/signals'
import { baseUrl } from './base-url.ts'

/** How the service responds now. User input is kept in every state. */
type Connection = 'good' | 'offline' | 'unavailable'

export const connection = signal<Connection>('good')
/** Counts up when data may have changed or the service is back; screens then reload. */
export const revision = signal(0)
/** When rate-limited requests continue. */
export const waitingUntil = signal(0)

const probeMs = 1_500
const keepaliveBodyMax = 4_000

/** The `fetch` of the SDK, which also tracks the connection. */
export async function trackedFetch(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, { ...init, keepalive: outlivesPage(init) })
    if (response.status === 503) setDown('unavailable')
    else if (connection.value !== 'good') setUp()
    if (response.status === 429) {
      const seconds = Number(response.headers.get('Retry-After'))
      if (Number.isFinite(seconds)) waitingUntil.value = Date.now() + seconds * 1000
    }
    return response
  } catch (error) {
    if (!init.signal?.aborted) setDown('offline')
    throw error
  }
}

/** A change must arrive even if the user leaves the page. Browsers allow this only for small bodies. */
const outlivesPage = ({ method = 'GET', body }: RequestInit): boolean =>
  method !== 'GET' && String(body ?? '').length <= keepaliveBodyMax

function setDown(state: Connection): void {
  const wasGood = connection.value === 'good'
  connection.value = state
  if (wasGood) setTimeout(probe, probeMs)
}

function setUp(): void {
  connection.value = 'good'
  revision.value++
}

/** Polls until the service is ready. This needs no key and costs no quota. */
async function probe(): Promise<void> {
  if (connection.value === 'good') return
  try {
    const response = await fetch(`${baseUrl}/readyz`, { cache: 'no-store' })
    // A node stays ready for a while without its database, so the status code alone says too little.
    const { status } = (await response.json()) as { status: string }
    if (status === 'ok') return setUp()
    connection.value = 'unavailable'
  } catch {
    connection.value = 'offline'
  }
  setTimeout(probe, probeMs)
}
