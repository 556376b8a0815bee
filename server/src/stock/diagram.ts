import type { PetStatus } from '../db/tables.ts'
import { registered, setByHand, stockSays } from './status.ts'

// How the status of a pet moves, drawn by trying the rules out: what is shown cannot say anything else than they do.

const statuses: readonly PetStatus[] = ['available', 'pending', 'sold']

/** Every state a stock can be in, as far as a status minds. */
const stocks = [
  { words: 'something in stock', stock: 1, openOrders: 0 },
  { words: 'nothing left, an order open', stock: 0, openOrders: 1 },
  { words: 'nothing left, no order open', stock: 0, openOrders: 0 },
]

type Stock = (typeof stocks)[number]
type Node = PetStatus | 'held' | '[*]'

export interface Way {
  readonly from: Node
  readonly to: Node
  readonly why: string
}

const nodeOf = ({ status, held }: { status: PetStatus; held: number }): Node => (held ? 'held' : status)

/** Every way from one status to another, once. */
export function statusWays(): Way[] {
  const byRegistering = statuses.map(
    (status): Way => ({ from: '[*]', to: nodeOf(registered(status)), why: `registered as ${status}` }),
  )
  // An order is opened only while there is something in stock.
  const canFollow = (before: Stock, after: Stock) => before.stock > 0 || after.openOrders <= before.openOrders
  const byStock = stocks.flatMap((before) =>
    stocks
      .filter((after) => canFollow(before, after))
      .map((after): Way => ({ from: stockSays(before), to: stockSays(after), why: after.words })),
  )
  const byHand = stocks.flatMap((stock) => {
    const says = stockSays(stock)
    const standings = [{ status: says, held: 0 }, ...statuses.map((status) => ({ status, held: 1 }))]
    return standings.flatMap((from) =>
      statuses.flatMap((wanted): Way[] => {
        const to = setByHand(from.status, wanted, says)
        const why = to?.held ? `a person sets ${wanted} against the stock` : `a person sets ${wanted}: ${stock.words}`
        return to ? [{ from: nodeOf(from), to: nodeOf(to), why }] : []
      }),
    )
  })
  const moves = [...byRegistering, ...byStock, ...byHand].filter(({ from, to }) => from !== to)
  return [...new Map(moves.map((way) => [`${way.from} ${way.to} ${way.why}`, way])).values()]
}

/** The same as a Mermaid state diagram. */
export const statusDiagram = (): string =>
  [
    'stateDiagram-v2',
    ...statusWays().map(({ from, to, why }) => `    ${from} --> ${to}: ${why.replace(':', ',')}`),
  ].join('\n')
