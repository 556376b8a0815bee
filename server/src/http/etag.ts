import { hash } from 'node:crypto'
import { ApiError } from './errors.ts'

/** A strong validator: the same bytes give the same tag, on every node and after every restart. */
export const etagOf = (body: string): string => `"${hash('sha1', body, 'base64url')}"`

const tagsIn = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Whether If-None-Match knows this state already. Compared weakly, as RFC 9110 asks. */
export function isNotModified(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** Refuses unless If-Match, where there is one, names one of these states of the resource. */
export function mustMatch(ifMatch: string | null, states: readonly unknown[]): void {
  if (ifMatch === null) return
  const tags = tagsIn(ifMatch)
  const isNamed = (state: unknown) => ifMatch.trim() === '*' || tags.includes(etagOf(JSON.stringify(state)))
  if (!states.some((state) => state !== undefined && isNamed(state))) throw new ApiError('precondition_failed')
}
