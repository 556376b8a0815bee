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

export function mustMatch(ifMatch: string | null, current: unknown): void {
  if (ifMatch === null) return
  const matches =
    current !== undefined && (ifMatch.trim() === '*' || tagsIn(ifMatch).includes(etagOf(JSON.stringify(current))))
  if (!matches) throw new ApiError('precondition_failed')
}
