import { codeOf, type Entry, isAfter, isLost, isUndone, pathOf, waitedMs } from './history.ts'
import type { Rule, Violation } from './rule.ts'

/** Later, the same POST is a new one. */
const repeatWithinMs = 120_000

export const repeatsPostsSafely: Rule = {
  id: 'repeats_posts_safely',
  title: 'Sends a POST again only with the same Idempotency-Key and body',
  advice: 'Choose an Idempotency-Key before the first try of a POST, and send it and the same body with every retry.',
  guide: 'idempotent-retries',
  check({ entries }) {
    const posts = entries.filter(({ method }) => method === 'POST')
    const failed = posts.filter((entry) => isLost(entry) || entry.status === 429)
    const judged = failed.map((entry) => judgeRepeats(entry, posts)).filter((result) => result !== undefined)
    const reused = posts.filter((entry) => codeOf(entry) === 'idempotency_key_reused')
    return { seen: judged.length + reused.length, violations: [...judged.flat(), ...reused.map(explainReuse)] }
  },
}

/** Undefined if it tells nothing: it was not sent again, or nothing was done. One with its own key may be another order, unless the failed one never comes again. */
function judgeRepeats(failed: Entry, posts: readonly Entry[]): Violation[] | undefined {
  const key = failed.headers['idempotency-key']
  const again = posts.filter((entry) => isRepeat(entry, failed))
  const [first] = again
  if (!first) return undefined
  if (key !== undefined && again.some(({ headers }) => headers['idempotency-key'] === key)) return []
  // Then no key is needed, and another one does no harm.
  if (isUndone(failed)) return undefined
  if (key === undefined) {
    return [
      {
        requests: [failed.id, first.id],
        explanation: `Request ${first.id} repeats POST ${failed.target} without an Idempotency-Key.`,
      },
    ]
  }
  return [
    {
      requests: [failed.id, first.id],
      explanation: `Request ${first.id} repeats request ${failed.id} under another Idempotency-Key.`,
    },
  ]
}

const isRepeat = (entry: Entry, failed: Entry): boolean =>
  entry.keyId === failed.keyId &&
  pathOf(entry) === pathOf(failed) &&
  entry.body === failed.body &&
  isAfter(entry, failed) &&
  waitedMs(failed, entry) <= repeatWithinMs

const explainReuse = ({ id }: Entry): Violation => ({
  requests: [id],
  explanation: `Request ${id} used the Idempotency-Key of an earlier POST with another body.`,
})
