import type { Exchange } from '../history/exchange.ts'
import { isAfter, isAskedFor, isBelow, isComplete, isRead, isSuccess, pathOf } from '../history/read.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'

const editMethods = new Set(['PUT', 'PATCH'])

export const conditions: Rule = {
  id: 'conditions',
  level: 'should',
  title: 'Sends If-Match on edits and reads again after 412',
  advice: () =>
    'Send the ETag that you read as If-Match with every PUT and PATCH. After a 412, read the resource again and decide what to change.',
  needs: ['conditions'],
  check({ exchanges }, profile) {
    const edits = exchanges.filter(
      (exchange) =>
        editMethods.has(exchange.method) &&
        profile.conditions?.operations.includes(exchange.operation ?? '') &&
        exchange.headers['if-none-match'] === undefined &&
        !isAskedFor(exchange),
    )
    return edits.flatMap((edit) => judgeEdit(edit, edits, exchanges))
  },
}

function judgeEdit(edit: Exchange, edits: readonly Exchange[], exchanges: readonly Exchange[]): Occasion[] {
  const { id, method, target, headers, status } = edit
  const condition = headers['if-match']
  if (condition === undefined || condition === '*') {
    // What a PUT created, or may have created, was not there before; what was rejected replaced nothing.
    if (method === 'PUT' && (!isSuccess(edit) || status === 201)) return []
    const has = condition ? 'has If-Match: *, which every version matches' : 'has no If-Match'
    return [broken([edit], `Request ${id}, ${method} ${target}, ${has}: it may undo what another client changed.`)]
  }
  const again =
    isComplete(edit) && status === 412
      ? edits.find((other) => isAfter(other, edit) && isSameEdit(other, edit))
      : undefined
  if (!again || isRace(again, edits, exchanges)) return [kept(edit)]
  const found = findVersion(edit, again, exchanges)
  if (found === condition || found === 'unknown') return [kept(edit)]
  const how = found === undefined ? 'without reading in between' : `though a read in between had shown ${found}`
  return [
    broken([edit, again], `Request ${id} got 412 for ${condition}, and request ${again.id} sent the same, ${how}.`),
  ]
}

/** Whether each of the same edits may be that of another caller: that version was read at least as often. */
function isRace(again: Exchange, edits: readonly Exchange[], exchanges: readonly Exchange[]): boolean {
  const path = pathOf(again)
  const tries = edits.filter((edit) => isSameEdit(edit, again) && (edit === again || isAfter(again, edit)))
  const reads = exchanges.filter(
    (read) =>
      isRead(read) &&
      isSuccess(read) &&
      read.client === again.client &&
      isBelow(pathOf(read), path) &&
      isAfter(again, read) &&
      versionOf(read) === again.headers['if-match'],
  )
  return tries.length > 1 && reads.length >= tries.length
}

const versionOf = ({ responseHeaders }: Exchange): string | undefined => responseHeaders.etag?.replace(/^W\//, '')

const isSameEdit = (one: Exchange, other: Exchange): boolean =>
  one.client === other.client &&
  one.method === other.method &&
  pathOf(one) === pathOf(other) &&
  one.body === other.body &&
  one.headers['if-match'] === other.headers['if-match']

/** The version that the client last read in between; `unknown` if it read something that may have shown it. */
function findVersion(edit: Exchange, again: Exchange, exchanges: readonly Exchange[]): string | undefined {
  const path = pathOf(edit)
  const reads = exchanges.filter(
    (read) =>
      isRead(read) && isSuccess(read) && read.client === edit.client && isAfter(read, edit) && isAfter(again, read),
  )
  const ofResource = reads.findLast((read) => isBelow(pathOf(read), path))
  if (ofResource) return versionOf(ofResource) ?? 'unknown'
  return reads.some((read) => isBelow(path, pathOf(read))) ? 'unknown' : undefined
}
