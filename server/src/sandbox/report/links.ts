import { codeOf, type Entry } from './history.ts'
import type { Rule } from './rule.ts'

const cursorsIn = (text: string): string[] =>
  [...text.matchAll(/[?&]cursor=([^&>\s]*)/g)].map(([, cursor = '']) => decode(cursor))

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const followsLinks: Rule = {
  id: 'follows_links',
  title: 'Follows Link instead of making cursors up',
  advice: 'Take the URL of the next page from the Link header with rel="next", until there is none.',
  guide: 'pagination',
  check({ entries, isComplete }) {
    const offered = new Set<string>()
    const withCursor: Entry[] = []
    const invented: Entry[] = []
    for (const entry of entries) {
      const [cursor] = cursorsIn(entry.target)
      if (cursor !== undefined) {
        withCursor.push(entry)
        const isUnknown = isComplete && !offered.has(cursor)
        if (isUnknown || codeOf(entry) === 'invalid_cursor') invented.push(entry)
      }
      for (const link of cursorsIn(entry.responseHeaders.link ?? '')) offered.add(link)
    }
    return {
      seen: withCursor.length,
      violations: invented.map(({ id }) => ({
        requests: [id],
        explanation: `Request ${id} has a cursor that no Link header offered.`,
      })),
    }
  },
}
