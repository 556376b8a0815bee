import { consoleRoot } from './base-url.ts'

// The key of a user who chose to stay signed in on this browser. SECURITY.md says what this protects against, and what it does not.

// Sandboxes share an origin, and have different keys.
const name = `petstore-console-kept-key ${consoleRoot}`
const unusedMsMax = 30 * 86_400_000

interface Kept {
  readonly key: string
  readonly usedAt: number
}

export function keepKey(key: string): void {
  localStorage.setItem(name, JSON.stringify({ key, usedAt: Date.now() } satisfies Kept))
}

/** The kept key. One that has not been used for too long is forgotten instead. */
export function findKeptKey(): string | undefined {
  const { key, usedAt } = JSON.parse(localStorage.getItem(name) ?? '{}') as Partial<Kept>
  if (key === undefined || usedAt === undefined) return undefined
  if (Date.now() - usedAt < unusedMsMax) return key
  localStorage.removeItem(name)
  return undefined
}

/** Records a use of the kept key. */
export function renewKeptKey(): void {
  const key = findKeptKey()
  if (key !== undefined) keepKey(key)
}

/** Forgets a kept key that no longer works. */
export function forgetKeptKey(key: string): void {
  if (findKeptKey() === key) localStorage.removeItem(name)
}

const signedOut = new BroadcastChannel(name)

/** Signing out in one tab ends the kept sign-in, which signs out every tab. */
export function endKeptSignIn(): void {
  if (findKeptKey() === undefined) return
  localStorage.removeItem(name)
  signedOut.postMessage(undefined)
}

export function onSignedOutElsewhere(leave: () => void): void {
  signedOut.addEventListener('message', leave)
}
