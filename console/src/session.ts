import { BannedError, type LimitStatus, PetStore, type Scope } from '@petstore/sdk'
import { computed, signal } from '@preact/signals'
import { revision, watchedFetch } from './connection.ts'
import { baseUrl } from './place.ts'

// The key lives in this tab's session storage and nowhere else: not in the address, not in a cookie, not on disk for long.
const storageName = 'petstore-console-key'

interface Session {
  readonly store: PetStore
  readonly status: LimitStatus
  /** What may be shown of the key. */
  readonly prefix: string
}

export const session = signal<Session | undefined>()
/** The key stopped working while it was used; what is on the screen stays until another is given. */
export const locked = signal(false)
export const scopes = computed(() => new Set<Scope>(session.value?.status.scopes))

export const may = (scope: Scope): boolean => scopes.value.has(scope)

/** The client of who is signed in. Screens are shown only then. */
export function store(): PetStore {
  if (!session.value) throw new Error('Nobody is signed in.')
  return session.value.store
}

export const rememberedKey = (): string | null => sessionStorage.getItem(storageName)

const banned = { code: 'key_banned', status: 429, message: 'This key is banned.' } as const

/** Throws what the service says when the key is not good. */
export async function signIn(apiKey: string): Promise<void> {
  const client: PetStore = new PetStore({ baseUrl, apiKey, fetch: fetchOrLock, attemptsMax: 8 })
  /** An answer to a key that was replaced since, however late it comes, locks nothing. */
  async function fetchOrLock(url: string, init: RequestInit): Promise<Response> {
    const response = await watchedFetch(url, init)
    if (response.status === 401 && session.value?.store === client) locked.value = true
    return response
  }
  const status = await client.limits.get()
  // Asking for the limits works while banned; nothing else would.
  if (status.ban) throw new BannedError(banned, new Date(status.ban.until))
  sessionStorage.setItem(storageName, apiKey)
  session.value = { store: client, status, prefix: apiKey.slice(0, 8) }
  locked.value = false
  revision.value++
}

/** Forgets everything: also what is in memory, by loading the page anew. */
export function signOut(): void {
  sessionStorage.clear()
  location.replace(`${baseUrl}/console`)
}
