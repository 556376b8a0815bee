import type { StoreSummary } from '@petstore/sdk'
import { toLocalTime } from '../local-time.ts'
import { number } from '../parts/time.tsx'
import { hrefOf } from '../router.ts'
import { entriesOf, shownRange } from './dashboard-range.ts'

interface Figure {
  readonly name: string
  readonly value: number
  /** What else there is to say about the value. */
  readonly detail?: string
  /** The same figure before, if known. */
  readonly before: number | undefined
  /** When that was. */
  readonly beforeText?: string
  readonly href: string
}

const sum = (hours: StoreSummary['hours']): number => hours.reduce((total, { unitsSold }) => total + unitsSold, 0)

export function shopFigures(summary: StoreSummary): Figure[] {
  const { openOrders, petsByStatus, lowStock, lowStockMax, days, dayBefore, daysBefore } = summary
  const range = shownRange()
  const { entries, before } = entriesOf(summary, range)
  const state = days ? daysBefore : dayBefore
  const completed = entries.reduce((total, hour) => total + hour.completed, 0)
  return [
    {
      name: 'Open orders',
      value: openOrders,
      before: state?.openOrders,
      beforeText: range.ago,
      href: hrefOf('/orders', { complete: 'false' }),
    },
    {
      name: range.sold,
      value: sum(entries),
      detail: completed === 1 ? 'in 1 order' : `in ${number(completed)} orders`,
      before: days ? daysBefore?.unitsSold : dayBefore && sum(before),
      beforeText: range.soldBefore,
      href: hrefOf('/orders', { complete: 'true', completedFrom: toLocalTime(entries[0]?.from ?? '') }),
    },
    {
      name: 'Pets available',
      value: petsByStatus.available,
      before: state?.available,
      beforeText: range.ago,
      href: hrefOf('/pets', { status: 'available' }),
    },
    {
      name: `Running low: ${lowStockMax} or fewer`,
      value: lowStock,
      before: state?.lowStock,
      beforeText: range.ago,
      href: hrefOf('/inventory', { maxQuantity: String(lowStockMax) }),
    },
  ]
}

export const petFigures = (byStatus: StoreSummary['petsByStatus']): Figure[] =>
  Object.entries(byStatus).map(([status, value]) => ({
    name: `Pets ${status}`,
    value,
    before: undefined,
    href: hrefOf('/pets', { status }),
  }))

/** Says why the figures of a new shop are not compared with anything. */
export const NothingBefore = ({ summary: { days, dayBefore, daysBefore } }: { summary: StoreSummary }) =>
  (days ? daysBefore : dayBefore) ? null : (
    <p class="soft small">No comparison yet: {shownRange().ago}, nothing was counted.</p>
  )

/** The main figures of the shop, each a link to what it counts. */
export const Figures = ({ figures }: { figures: readonly Figure[] }) => (
  <ul class="tiles" aria-label="The shop in figures">
    {figures.map(({ name, value, detail, before, beforeText, href }) => (
      <li key={name}>
        <a href={href}>
          <span>{name}</span>
          <strong>{number(value)}</strong>
          {detail && <small>{detail}</small>}
          {before !== undefined && <small>{describeChange(value, before, beforeText)}</small>}
        </a>
      </li>
    ))}
  </ul>
)

function describeChange(value: number, before: number, beforeText = ''): string {
  if (value === before) return `same as ${beforeText}`
  return `${number(Math.abs(value - before))} ${value > before ? 'more' : 'fewer'} than ${beforeText}`
}
