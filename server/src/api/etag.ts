import { hash } from 'node:crypto'
import { ApiError } from './errors.ts'

/** How a resource is tagged: all of it, or with fields apart that change without anybody changing the resource itself. */
export type Tagged = true | { readonly apart: readonly string[] }

const digest = (text: string): string => hash('sha1', text, 'base64url')

/**
 * A strong validator: the same bytes give the same tag, on every node and after every restart. Fields that are set apart
 * have a part of the tag to themselves, behind a dot: If-None-Match minds it, If-Match does not.
 */
export function etagOf(body: unknown, tagged: Tagged, text = JSON.stringify(body)): string {
  if (tagged === true) return `"${digest(text)}"`
  const own: Record<string, unknown> = {}
  const apart: Record<string, unknown> = {}
  const fields = body as Record<string, unknown>
  for (const field in fields) (tagged.apart.includes(field) ? apart : own)[field] = fields[field]
  return `"${digest(JSON.stringify(own))}.${digest(JSON.stringify(apart))}"`
}

const tagsIn = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Whether If-None-Match knows this state already. Compared weakly, as RFC 9110 asks. */
export function isNotModified(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** A tag without the part of what is set apart: a SHA-1 in base64url. */
const ownPart = (tag: string): string => tag.replace(/\.[\w-]{27}"$/, '"')

/** Refuses unless If-Match, where there is one, names this state of the resource; undefined: it does not exist. */
export function mustMatch(ifMatch: string | undefined, state: unknown, tagged: Tagged): void {
  if (ifMatch === undefined) return
  if (state === undefined) throw new ApiError('precondition_failed')
  const isNamed =
    ifMatch.trim() === '*' ||
    tagsIn(ifMatch)
      .map(ownPart)
      .includes(ownPart(etagOf(state, tagged)))
  if (!isNamed) throw new ApiError('precondition_failed')
}

/** Refuses when `If-None-Match: *` asks for there to be nothing yet, and there is something. */
export function mustNotExist(ifNoneMatch: string | undefined, state: unknown): void {
  if (ifNoneMatch?.trim() === '*' && state !== undefined) throw new ApiError('precondition_failed')
}
