import type { Exchange } from '../history/exchange.ts'
import { aHeader, isAfter, isSentKnowing, isSuccess, pathOf, successorOf } from '../history/read.ts'
import { broken, kept, type Occasion, type Rule } from './rule.ts'

export const deprecation: Rule = {
  id: 'deprecation',
  level: 'information',
  title: 'Stops calling what a response called deprecated',
  advice: ({ deprecation }) =>
    `When a response has ${aHeader(deprecation?.header ?? '')} header, call the URL in its Link with rel="successor-version" instead.`,
  needs: ['deprecation'],
  check({ exchanges }, { deprecation }) {
    // Only successes: a request that failed may have to be sent again unchanged.
    const warned = exchanges.filter(
      (exchange) => isSuccess(exchange) && isDeprecated(exchange, deprecation?.header ?? ''),
    )
    const ofClient = (exchange: Exchange) => `${exchange.client} ${nameOf(exchange)}`
    return [...Map.groupBy(warned, ofClient)].flatMap(([name, [first]]) => {
      const later = first ? exchanges.filter((exchange) => isAfter(exchange, first)) : []
      // No later request: no evidence.
      if (!first || !later.some(({ client }) => client === first.client)) return []
      const again = later.filter((exchange) => ofClient(exchange) === name)
      if (again.length === 0) return [kept(first)]
      return again.some((exchange) => isSentKnowing(exchange, first, exchanges)) ? [explain(first, again)] : []
    })
  },
}

/** What was called. */
const nameOf = (exchange: Exchange): string => exchange.operation ?? `${exchange.method} ${pathOf(exchange)}`

/** Whether it is deprecated now: the header has `@` and the Unix time from which it is, or in older drafts a date or `true`. */
function isDeprecated({ responseHeaders, apiArrivedMs }: Exchange, header: string): boolean {
  const value = responseHeaders[header]
  if (value === undefined || value === 'false') return false
  const from = value.startsWith('@') ? Number(value.slice(1)) * 1000 : Date.parse(value)
  return Number.isNaN(from) || from <= apiArrivedMs
}

function explain(first: Exchange, again: readonly Exchange[]): Occasion {
  const successor = successorOf(first)
  const times = again.length === 1 ? 'once more' : `${again.length} more times`
  return broken(
    [first, ...again],
    `${nameOf(first)} was called ${times} after request ${first.id} said that it is deprecated${successor ? `; its successor is ${successor}` : ''}.`,
  )
}
