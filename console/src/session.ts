import { BannedError, type LimitStatus, PetStore, type Scope } from '@petstore/sdk'
import { computed, signal } from '@preact/signals'
import { baseUrl, consoleRoot } from './base-url.ts'
import { revision, trackedFetch } from './connection.ts'
import { shareForUser } from './describe-cost.ts'
import { endKeptSignIn, findKeptKey, forgetKeptKey, keepKey, onSignedOutElsewhere } from './kept-key.ts'

// The key is in this tab's session storage: never in the address or a cookie, and in localStorage only if the user chose that.
// Sandboxes share an origin, and have different keys.
const storageName = `petstore-console-key ${consoleRoot}`

interface Session {
  readonly store: PetStore
  /** For tasks with many requests, which must not keep the user waiting. */
  readonly longTasks: PetStore
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
export const store = (): PetStore => signedIn().store

/** The same, for tasks with many requests: it leaves a share of the limits for the user. */
export const storeForLongTasks = (): PetStore => signedIn().longTasks

function signedIn(): Session {
  if (!session.value) throw new Error('Not signed in.')
  return session.value
}

/** The key of this tab, or the one that the browser keeps. */
export const rememberedKey = (): string | undefined => sessionStorage.getItem(storageName) ?? findKeptKey()

const banned = { code: 'key_banned', status: 429, message: 'This key is banned.' } as const

/** Signs in, or throws the error of the service. With `keep`, new tabs are signed in too. */
export async function signIn(apiKey: string, { keep = false } = {}): Promise<void> {
  const options = { baseUrl, apiKey, fetch: fetchOrLock, attemptsMax: 8 }
  const client: PetStore = new PetStore(options)
  /** A late response to a replaced key does not lock the console. */
  async function fetchOrLock(url: string, init: RequestInit): Promise<Response> {
    const response = await trackedFetch(url, init)
    if (response.status === 401) {
      forgetKeptKey(apiKey)
      if (session.value?.store === client) isLocked.value = true
    }
    return response
  }
  const status = await client.limits.get()
  // A banned key can read its limits, but nothing else.
  if (status.ban) throw new BannedError(banned, new Date(status.ban.until))
  sessionStorage.setItem(storageName, apiKey)
  if (keep) keepKey(apiKey)
  const longTasks = new PetStore({ ...options, leaveFree: shareForUser })
  session.value = { store: client, longTasks, status, prefix: apiKey.slice(0, 8) }
  isLocked.value = false
  revision.value++
}

/** Goes on with the new secret of the user's key. Returns whether that worked. */
export const continueWith = (secret: string): Promise<boolean> =>
  signIn(secret, { keep: findKeptKey() === sessionStorage.getItem(storageName) }).then(
    () => true,
    () => false,
  )

export function signOut(): void {
  endKeptSignIn()
  leave()
}

onSignedOutElsewhere(leave)

/** Forgets everything, including memory, by reloading the page. */
function leave(): void {
  sessionStorage.clear()
  location.replace(`${baseUrl}/console`)
}
