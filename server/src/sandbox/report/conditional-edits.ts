import { type Entry, isAfter, isRead, pathOf } from './history.ts'
import type { Rule, Violation } from './rule.ts'

const editMethods = new Set(['PUT', 'PATCH'])

export const editsConditionally: Rule = {
  id: 'edits_conditionally',
  title: 'Sends If-Match on edits and reads again after 412',
  advice:
    'Send the ETag that you read as If-Match with every PUT and PATCH. After a 412, read the resource again and decide what to change.',
  guide: 'conditional-requests',
  check({ entries }) {
    const edits = entries.filter(
      ({ method, traits, headers }) =>
        traits?.takesIfMatch && editMethods.has(method) && headers['if-none-match'] === undefined,
    )
    const blind = edits.filter(({ headers }) => headers['if-match'] === undefined)
    const stale = edits.filter(({ status }) => status === 412).flatMap((rejected) => editAgain(rejected, entries))
    return {
      seen: edits.length,
      violations: [
        ...blind.map(({ id, method, target }) => ({
          requests: [id],
          explanation: `Request ${id}, ${method} ${target}, has no If-Match: it may undo what another client changed.`,
        })),
        ...stale,
      ],
    }
  },
}

/** The next edit of the resource, unless the client read it in between. */
function editAgain(rejected: Entry, entries: readonly Entry[]): Violation[] {
  const path = pathOf(rejected)
  const ofResource = entries.filter(
    (entry) =>
      entry.keyId === rejected.keyId &&
      isAfter(entry, rejected) &&
      (pathOf(entry) === path || pathOf(entry).startsWith(`${path}/`)),
  )
  const next = ofResource.find(({ method }) => editMethods.has(method))
  const hasRead = ofResource.some((entry) => isRead(entry) && next && entry.order < next.order)
  if (!next || hasRead) return []
  const explanation = `Request ${rejected.id} got 412, and request ${next.id} edited again without reading in between.`
  return [{ requests: [rejected.id, next.id], explanation }]
}
