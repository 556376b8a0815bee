import type { Rule } from './rule.ts'

/** The recorder leaves `ps_…` of a key. */
const keyInAddress = /ps_…|[?&](?:x-)?(?:api|access)[-_]?(?:key|token)=/i

export const keepsKeysOutOfAddresses: Rule = {
  id: 'keeps_keys_out_of_addresses',
  title: 'Sends no key in a URL',
  advice: 'Send the key in the X-API-Key header: URLs end up in logs, histories and Referer headers.',
  guide: 'keys',
  check({ entries }) {
    const exposed = entries.filter(({ target }) => keyInAddress.test(target))
    return {
      seen: entries.length,
      violations: exposed.map(({ id }) => ({ requests: [id], explanation: `Request ${id} has a key in its URL.` })),
    }
  },
}
