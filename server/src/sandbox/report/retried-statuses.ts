import { codeOf, type Entry, isAfter, isRead, repeatsIn, waitedMs } from './history.ts'
import type { Rule, Violation } from './rule.ts'

/** A 401 may be tried again with another key, which is not recorded; 412 is another rule's; 429 passes with time. */
const otherStatuses = new Set([401, 412, 429])
/** These pass with time too, or when a stream ends. */
const passingCodes = new Set(['idempotency_in_progress', 'too_many_streams', 'webhook_backlog_full'])
/** With another one of these, the same request may get another response. */
const decidingHeaders = ['accept', 'content-encoding', 'content-type', 'if-none-match', 'last-event-id', 'prefer']
/** Later, it is a new call, not a retry. */
const retryWithinMs = 10_000

export const retriesWhatCanPass: Rule = {
  id: 'retries_what_can_pass',
  title: 'Retries 503, and no other rejected request',
  advice:
    'Retry a 503 after its Retry-After. Do not retry a 4xx other than 429: the response stays the same until the request or the shop changes.',
  guide: 'errors',
  check({ entries }) {
    const writes = entries.filter((entry) => !isRead(entry) && entry.status !== null && entry.status < 300)
    const isUnchanged = (from: Entry, to: Entry) =>
      !writes.some((write) => write.order > from.order && write.order < to.order)
    const results = repeatsIn(entries).flatMap((same) =>
      same.flatMap((entry, index) => judgeRetry(entry, same[index - 1], same[index + 1], isUnchanged)),
    )
    return { seen: results.length, violations: results.filter((result) => result !== 'kept') }
  },
}

/** `entry` got a response; `before` and `next` are the same request before and after it. */
function judgeRetry(
  entry: Entry,
  before: Entry | undefined,
  next: Entry | undefined,
  isUnchanged: (from: Entry, to: Entry) => boolean,
): (Violation | 'kept')[] {
  if (entry.status === 503) {
    if (next) return ['kept']
    // The last of several tries may be one too many for the client; after an unknown outcome it may read instead.
    if (before?.status === 503 || codeOf(entry) === 'outcome_unknown') return []
    return [{ requests: [entry.id], explanation: `Request ${entry.id} got 503 and was not sent again.` }]
  }
  const { status } = entry
  const code = codeOf(entry) ?? ''
  if (status === null || status < 400 || status >= 500 || otherStatuses.has(status) || passingCodes.has(code)) return []
  const isRetried = next && isAfter(next, entry) && waitedMs(entry, next) <= retryWithinMs
  if (!isRetried || !isSame(entry, next) || !isUnchanged(entry, next)) return ['kept']
  const explanation = `Request ${entry.id} got ${`${status} ${code}`.trim()}, and request ${next.id} is the same again.`
  return [{ requests: [entry.id, next.id], explanation }]
}

/** Whether nothing that decides the response was corrected. Where a body is cut, that could have been the rest. */
const isSame = (entry: Entry, next: Entry): boolean =>
  !next.bodyCut && decidingHeaders.every((name) => entry.headers[name] === next.headers[name])
