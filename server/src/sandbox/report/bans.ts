import { codeOf, type Entry } from './history.ts'
import type { Rule } from './rule.ts'

export const staysOutOfBans: Rule = {
  id: 'stays_out_of_bans',
  title: 'Never hammers into a ban',
  advice: 'Stop sending at the first 429. A client that goes on gets its key banned, for two minutes at first.',
  guide: 'limits',
  check({ entries }) {
    const limited = entries.filter(({ status }) => status === 429)
    // A ban that a fault simulates is not the client's doing, and the requests of one ban are one violation.
    const banned = limited.filter((entry) => isBan(entry) && entry.fault === undefined)
    const byKey = [...Map.groupBy(banned, ({ keyId }) => keyId).values()]
    return {
      seen: limited.length,
      violations: byKey.map((rejected) => ({
        requests: rejected.map(({ id }) => id),
        explanation: `The key was banned for sending on after 429, and ${rejected.length} of its requests were rejected for that.`,
      })),
    }
  },
}

/** The response to a HEAD does not say so, but a ban ends when no window does. */
function isBan(entry: Entry): boolean {
  if (entry.method !== 'HEAD') return codeOf(entry) === 'key_banned'
  const { ratelimit = '', 'retry-after': seconds } = entry.responseHeaders
  return ![...ratelimit.matchAll(/;t=(\d+)/g)].some(([, end]) => end === seconds)
}
