import { BannedError, type LimitStatus, PetStore, type Scope } from '@petstore/sdk'
import { computed, signal } from '@preact/signals'
import { baseUrl } from './base-url.ts'
import { revision, trackedFetch } from './connection.ts'

// The key is kept only in this tab's session storage: never in the address, a cookie or localStorage.
const storageName = 'petstore-console-key'

interface Session {
  readonly store: PetStore
  readonly status: LimitStatus
  /** The visible part of the key. */
  readonly prefix: string
}

export const session = signal<Session | undefined>()
/** The key stopped working during use; the screen stays as it is until the user enters another. */
export const isLocked = signal(false)
export const scopes = computed(() => new Set<Scope>(session.value?.status.scopes))

export const hasScope = (scope: Scope): boolean => scopes.value.has(scope)

/** The client of the signed-in key. Screens are shown only when signed in. */
export function store(): PetStore {
  if (!session.value) throw new Error('Not signed in.')
  return session.value.store
}

export const rememberedKey = (): string | null => sessionStorage.getItem(storageName)

const banned = { code: 'key_banned', status: 429, message: 'This key is banned.' } as const

/** Signs in, or throws the error of the service. */
export async function signIn(apiKey: string): Promise<void> {
  const client: PetStore = new PetStore({ baseUrl, apiKey, fetch: fetchOrLock, attemptsMax: 8 })
  /** A late response to a replaced key does not lock the console. */
  async function fetchOrLock(url: string, init: RequestInit): Promise<Response> {
    const response = await trackedFetch(url, init)
    if (response.status === 401 && session.value?.store === client) isLocked.value = true
    return response
  }
  const status = await client.limits.get()
  // A banned key can read its limits, but nothing else.
  if (status.ban) throw new BannedError(banned, new Date(status.ban.until))
  sessionStorage.setItem(storageName, apiKey)
  session.value = { store: client, status, prefix: apiKey.slice(0, 8) }
  isLocked.value = false
  revision.value++
}

/** Forgets everything, including memory, by reloading the page. */
export function signOut(): void {
  sessionStorage.clear()
  location.replace(`${baseUrl}/console`)
}
