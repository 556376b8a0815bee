import { hash } from 'node:crypto'
import { ApiError, apiErrors } from './errors.ts'

/** What an ETag covers: all fields alike, or the `derived` ones separately, which change when another resource changes. */
export type EtagScope = true | { readonly derived: readonly string[] }

const digest = (text: string): string => hash('sha1', text, 'base64url')

/**
 * A strong validator: the same bytes give the same tag, on every node and after every restart. Derived fields have a separate part of
 * the tag, after a dot: If-None-Match compares it, If-Match ignores it.
 */
export function etagOf(body: unknown, scope: EtagScope, text = JSON.stringify(body)): string {
  if (scope === true) return `"${digest(text)}"`
  const own: Record<string, unknown> = {}
  const derived: Record<string, unknown> = {}
  const fields = body as Record<string, unknown>
  for (const field in fields) (scope.derived.includes(field) ? derived : own)[field] = fields[field]
  return `"${digest(JSON.stringify(own))}.${digest(JSON.stringify(derived))}"`
}

const parseTags = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Whether If-None-Match names this state. Compared weakly, as RFC 9110 requires. */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || parseTags(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** A tag without the part of the derived fields, a SHA-1 in base64url. */
const ownPart = (tag: string): string => tag.replace(/\.[\w-]{27}"$/, '"')

/** Throws if there is an If-Match that names none of these states of the resource. undefined: it does not exist; null: it has no ETag. */
export function mustMatch(ifMatch: string | undefined, states: readonly unknown[], scope: EtagScope): void {
  if (ifMatch === undefined) return
  if (states.includes(undefined)) {
    throw failed(
      'The resource does not exist, and `If-Match` requires that it does.',
      'Create it, or leave out `If-Match`.',
    )
  }
  if (ifMatch.trim() === '*') return
  if (states.includes(null)) throw failed('A list has no ETag that `If-Match` could name.', 'Leave out `If-Match`.')
  const named = parseTags(ifMatch).map(ownPart)
  if (states.some((state) => named.includes(ownPart(etagOf(state, scope))))) return
  throw failed(
    'The resource has changed since you read it: its ETag differs from the one in `If-Match`.',
    'Read it again, apply your change to what you get, and send it with the new ETag.',
  )
}

/** Throws if `If-None-Match: *` requires that the resource does not exist, and it does. */
export function mustNotExist(ifNoneMatch: string | undefined, state: unknown): void {
  if (ifNoneMatch?.trim() !== '*' || state === undefined) return
  throw failed(
    'The resource already exists, and `If-None-Match: *` requires that it does not.',
    'Use it as it is, or leave out `If-None-Match`.',
  )
}

const failed = (what: string, advice: string) => new ApiError(apiErrors.precondition_failed, what, { advice })
