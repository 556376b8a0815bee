import type { Exchange } from '../history/exchange.ts'
import { isOneOf, pathOf, queryOf } from '../history/read.ts'
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
      const cursor = queryOf(exchange).get(parameter)
      // A simulated response says nothing about the cursor, and an empty cursor is none.
      return cursor && exchange.fault === undefined ? [{ exchange, cursor }] : []
    })
    if (withCursor.length === 0) return []
    const offers = findOffers(exchanges)
    const byQuery = Map.groupBy(offers, (offer) => offer.query)
    const cursors = new Set(offers.flatMap((offer) => new URLSearchParams(offer.query).getAll(parameter)))
    return withCursor.flatMap(({ exchange, cursor }): Occasion[] => {
      const isFollowed = byQuery.get(sortedQueryOf(exchange))?.some(({ path }) => path.endsWith(pathOf(exchange)))
      // A cursor that the API accepts was offered, perhaps to another program. One that was offered may be gone.
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
    .map(([, target = '']) => ({ path: pathOf({ target }), query: sortedQueryOf({ target }) }))

/** A query with its parameters in one order. */
function sortedQueryOf(sent: Pick<Exchange, 'target'>): string {
  const parameters = queryOf(sent)
  parameters.sort()
  return parameters.toString()
}
