import { type Entry, isAfter } from './history.ts'
import type { Rule, Violation } from './rule.ts'

export const resumesStreams: Rule = {
  id: 'resumes_streams',
  title: 'Resumes a stream with the last id',
  advice:
    'When a stream ends, open it again with the id of the last message as Last-Event-ID, so that no event is missed.',
  guide: 'events',
  check({ entries }) {
    const streams = entries.filter(({ traits, status }) => traits?.takesLastEventId && status !== null && status < 300)
    const results = streams.flatMap((ended) => judgeResumption(ended, entries))
    return { seen: results.length, violations: results.filter((result) => result !== 'kept') }
  },
}

/** Looks at what the client did after a stream that had sent something. */
function judgeResumption(ended: Entry, entries: readonly Entry[]): (Violation | 'kept')[] {
  const last = ended.streamLastEventId
  if (last === undefined) return []
  const next = entries.find(
    (entry) => entry.keyId === ended.keyId && entry.target === ended.target && isAfter(entry, ended),
  )
  if (!next) return []
  const resumed = next.headers['last-event-id']
  // What a broken connection sent last may not have arrived, so only a client that goes back to where it began is surely wrong.
  const began = ended.headers['last-event-id']
  const isStale = resumed === began && resumed !== last && ended.fault === undefined
  if (resumed !== undefined && !isStale) return ['kept']
  const explanation = `The stream of request ${ended.id} ended after ${last}, and request ${next.id} ${resumed ? `resumed after ${resumed}, where that stream had begun` : 'started a new one without Last-Event-ID'}.`
  return [{ requests: [ended.id, next.id], explanation }]
}
