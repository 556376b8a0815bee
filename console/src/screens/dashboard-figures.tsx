import type { StoreSummary } from '@petstore/sdk'
import { number } from '../parts/time.tsx'
import { hrefOf } from '../router.ts'
import { lowMax } from '../stock-levels.ts'

/** The last day is shown, and compared with the day before. */
export const shownHours = 24

interface Figure {
  readonly name: string
  readonly value: number
  /** The same figure a day before, if known. */
  readonly before: number | undefined
  readonly href: string
}

const sum = (hours: StoreSummary['hours']): number => hours.reduce((total, { unitsSold }) => total + unitsSold, 0)

export const shopFigures = ({ openOrders, petsByStatus, lowStock, hours, dayBefore }: StoreSummary): Figure[] => [
  {
    name: 'Open orders',
    value: openOrders,
    before: dayBefore?.openOrders,
    href: hrefOf('/orders', { complete: 'false' }),
  },
  {
    name: 'Sold in 24 hours',
    value: sum(hours.slice(-shownHours)),
    before: sum(hours.slice(0, -shownHours)),
    href: hrefOf('/orders', { complete: 'true' }),
  },
  {
    name: 'Pets available',
    value: petsByStatus.available,
    before: dayBefore?.available,
    href: hrefOf('/pets', { status: 'available' }),
  },
  {
    name: 'Running low',
    value: lowStock,
    before: dayBefore?.lowStock,
    href: hrefOf('/inventory', { maxQuantity: String(lowMax) }),
  },
]

export const petFigures = (byStatus: StoreSummary['petsByStatus']): Figure[] =>
  Object.entries(byStatus).map(([status, value]) => ({
    name: `Pets ${status}`,
    value,
    before: undefined,
    href: hrefOf('/pets', { status }),
  }))

/** The main figures of the shop, each a link to what it counts. */
export const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <ul class="tiles" aria-label="The shop in figures">
    {figures.map(({ name, value, before, href }) => (
      <li key={name}>
        <a href={href}>
          <span>{name}</span>
          <strong>{number(value)}</strong>
          {before !== undefined && <small>{describeChange(value, before)}</small>}
        </a>
      </li>
    ))}
  </ul>
)

function describeChange(value: number, before: number): string {
  if (value === before) return 'same as the day before'
  return `${number(Math.abs(value - before))} ${value > before ? 'more' : 'fewer'} than the day before`
}
