import type { Exchange } from '../history/exchange.ts'
import { isOneOf, pathOf } from '../history/read.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'

export const pages: Rule = {
  id: 'pages',
  level: 'must',
  title: 'Follows Link instead of making cursors up',
  advice: () => 'Take the URL of the next page from the Link header with rel="next", until there is none.',
  needs: ['pages'],
  check({ exchanges }, profile) {
    const { cursor: parameter = '', invalid } = profile.pages ?? {}
    const withCursor = exchanges.flatMap((exchange) => {
      const cursor = new URLSearchParams(queryOf(exchange.target)).get(parameter)
      // What is simulated tells nothing of the cursor, and an empty one is none.
      return cursor && exchange.fault === undefined ? [{ exchange, cursor }] : []
    })
    if (withCursor.length === 0) return []
    const offers = findOffers(exchanges)
    const byQuery = Map.groupBy(offers, (offer) => offer.query)
    const cursors = new Set(offers.flatMap(({ query }) => new URLSearchParams(query).getAll(parameter)))
    return withCursor.flatMap(({ exchange, cursor }): Occasion[] => {
      const query = normalise(queryOf(exchange.target))
      const isFollowed = byQuery.get(query)?.some(({ path }) => path.endsWith(pathOf(exchange)))
      // One that the API accepts was offered, perhaps to another program. One that was offered may be gone.
      if (!isOneOf(exchange, invalid, profile)) return cursors.has(cursor) ? [kept(exchange)] : []
      if (isFollowed) return []
      const what = cursors.has(cursor) ? 'that was offered for another list' : 'that no response offered for this list'
      return [broken([exchange], `Request ${exchange.id} has a cursor ${what}.`)]
    })
  },
}

/** The URLs of pages that responses offered. */
const findOffers = (exchanges: readonly Exchange[]) =>
  exchanges
    .flatMap(({ responseHeaders }) => [...(responseHeaders.link ?? '').matchAll(/<([^>]*)>/g)])
    .map(([, url = '']) => ({ path: url.split('?')[0] ?? '', query: normalise(queryOf(url)) }))

const queryOf = (url: string): string => url.split('?')[1] ?? ''

/** A query with its parameters in one order. */
function normalise(query: string): string {
  const parameters = new URLSearchParams(query)
  parameters.sort()
  return parameters.toString()
}
