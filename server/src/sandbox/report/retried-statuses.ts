import { codeOf, type Entry, isAfter, repeatsIn } from './history.ts'
import type { Rule, Violation } from './rule.ts'

/** These pass with time, so a retry is right; whether a 412 may be tried again is another rule's. */
const passingCodes = new Set([
  'rate_limited',
  'quota_exhausted',
  'key_banned',
  'idempotency_in_progress',
  'precondition_failed',
])
/** Later, it is a new call, not a retry. */
const retryWithinMs = 10_000

export const retriesWhatCanPass: Rule = {
  id: 'retries_what_can_pass',
  title: 'Retries 503, and no other rejected request',
  advice:
    'Retry a 503 after its Retry-After. Do not retry a 4xx other than 429: the response stays the same until the request or the shop changes.',
  guide: 'errors',
  check({ entries }) {
    const writes = entries.filter(({ method, status }) => method !== 'GET' && status !== null && status < 300)
    const isUnchanged = (from: Entry, to: Entry) =>
      !writes.some((write) => write.order > from.order && write.order < to.order)
    const results = repeatsIn(entries).flatMap((same) =>
      same.flatMap((entry, index) => judgeRetry(entry, same[index - 1], same[index + 1], isUnchanged)),
    )
    return { seen: results.length, violations: results.filter((result) => result !== 'kept') }
  },
}

/** `entry` got an answer; `before` and `next` are the same request before and after it. */
function judgeRetry(
  entry: Entry,
  before: Entry | undefined,
  next: Entry | undefined,
  isUnchanged: (from: Entry, to: Entry) => boolean,
): (Violation | 'kept')[] {
  if (entry.status === 503) {
    if (next) return ['kept']
    // The last of several tries may be one too many for the client.
    if (before?.status === 503) return []
    return [{ requests: [entry.id], explanation: `Request ${entry.id} got 503 and was not sent again.` }]
  }
  const code = codeOf(entry)
  if (entry.status === null || entry.status < 400 || entry.status >= 500 || passingCodes.has(code ?? '')) return []
  const isRetried = next && isAfter(next, entry) && next.arrivedMs - entry.endedMs <= retryWithinMs
  if (!isRetried || !isUnchanged(entry, next)) return ['kept']
  const explanation = `Request ${entry.id} got ${entry.status} ${code ?? ''}, and request ${next.id} is the same again.`
  return [{ requests: [entry.id, next.id], explanation }]
}
