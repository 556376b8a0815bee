import type { StoreSummary } from '@petstore/sdk'
import { param } from '../router.ts'

// The time range of the overview: the last 24 hours unless the user chose another. Today is empty after midnight, the last 24 hours never.

const hourMs = 3_600_000
const dayHours = 24
/** A choice in the address: the current day in the user's time zone. */
const today = '1'

export const rangeChoices = [
  [today, 'Today'],
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
] as const

interface Range {
  /** The query for the summary. */
  readonly query: { readonly hours: number; readonly days?: number }
  /** How many of the hours or days are shown; the earlier ones are for comparison. */
  readonly shown: number
  readonly sold: string
  readonly during: string
  /** When the earlier figures were counted. */
  readonly ago: string
  /** When the earlier units were sold. */
  readonly soldBefore: string
}

export function shownRange(now = Date.now()): Range {
  const choice = param('days')
  if (choice === '7' || choice === '30') {
    return {
      query: { hours: 1, days: Number(choice) },
      shown: Number(choice),
      sold: `Units sold in ${choice} days`,
      during: `last ${choice} days`,
      ago: `${choice} days ago`,
      soldBefore: `in the ${choice} days before`,
    }
  }
  if (choice === today) {
    const shown = hoursSince(new Date(now).setHours(0, 0, 0, 0), now)
    return {
      query: { hours: shown + dayHours },
      shown,
      sold: 'Units sold today',
      during: 'today',
      ago: 'yesterday at this hour',
      soldBefore: 'yesterday up to this hour',
    }
  }
  return {
    query: { hours: 2 * dayHours },
    shown: dayHours,
    sold: 'Units sold in 24 hours',
    during: 'last 24 hours',
    ago: 'the day before',
    soldBefore: 'the day before',
  }
}

/** How many hours have begun since then, including the hour of `then`. The service counts by UTC hours. */
const hoursSince = (then: number, now: number): number => Math.floor(now / hourMs) - Math.floor(then / hourMs) + 1

type Hours = StoreSummary['hours']

/** The hours or days of a range, and as many before, as far as the summary has them. */
export function entriesOf({ hours, days }: StoreSummary, { shown }: Range): { entries: Hours; before: Hours } {
  if (days) return { entries: days, before: [] }
  const start = hours.length - shown
  return { entries: hours.slice(start), before: hours.slice(Math.max(0, start - dayHours), hours.length - dayHours) }
}

/** The days of a range in the user's time zone, the last one today, each by its noon: on some days there is no midnight. */
export function daysUntil(now: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => {
    const noon = new Date(now)
    noon.setHours(12, 0, 0, 0)
    noon.setDate(noon.getDate() - (count - 1 - index))
    return noon.getTime()
  })
}
