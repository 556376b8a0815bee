import { hash } from 'node:crypto'
import { ApiError } from './errors.ts'

/** How a resource is tagged: all of it, or with one field apart that changes without anybody changing the resource. */
export type Tagged = true | { readonly apart: string }

const digest = (text: string): string => hash('sha1', text, 'base64url')

/**
 * A strong validator: the same bytes give the same tag, on every node and after every restart. A field that is set apart
 * has a part of the tag to itself, behind a dot: If-None-Match minds it, If-Match does not.
 */
export function etagOf(body: unknown, tagged: Tagged, text = JSON.stringify(body)): string {
  if (tagged === true) return `"${digest(text)}"`
  const { [tagged.apart]: apart, ...rest } = body as Record<string, unknown>
  return `"${digest(JSON.stringify(rest))}.${digest(String(apart))}"`
}

const tagsIn = (header: string): string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? []

/** Whether If-None-Match knows this state already. Compared weakly, as RFC 9110 asks. */
export function isNotModified(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch.trim() === '*' || tagsIn(ifNoneMatch).some((tag) => tag.replace(/^W\//, '') === etag)
}

/** Refuses unless If-Match, where there is one, names one of these states of the resource. */
export function mustMatch(ifMatch: string | null, states: readonly unknown[], tagged: Tagged): void {
  if (ifMatch === null) return
  const settled = (tag: string) => (tagged === true ? tag : tag.replace(/\..*/, '"'))
  const tags = tagsIn(ifMatch).map(settled)
  const isNamed = (state: unknown) => ifMatch.trim() === '*' || tags.includes(settled(etagOf(state, tagged)))
  if (!states.some((state) => state !== undefined && isNamed(state))) throw new ApiError('precondition_failed')
}
