import { dayMs, hourMs } from '../../platform/lib/time.ts'
import type { PetStatus } from '../pets/status.ts'
import { type CountRow, current } from './counts.ts'

/** The summary as clients see it, with an entry for each of these hours. */
export function showSummary(rows: readonly CountRow[], from: number, hours: number) {
  const byHour = new Map(rows.filter(({ status }) => status === null).map((row) => [row.starts_at, row]))
  const petsWith = (wanted: PetStatus) => rows.find(({ status }) => status === wanted)?.pets ?? 0
  const petsByStatus = { available: petsWith('available'), pending: petsWith('pending'), sold: petsWith('sold') }
  const pets = petsByStatus.available + petsByStatus.pending + petsByStatus.sold
  const now = byHour.get(current)
  return {
    openOrders: now?.open_orders ?? 0,
    hours: Array.from({ length: hours }, (_, index) => showHour(byHour, from + index * hourMs)),
    petsByStatus,
    lowStockMax: now?.low_stock_max ?? 0,
    // Without an inventory item a pet is out of stock, so the pets with stock are counted and the others follow.
    lowStock: pets - (now?.well_stocked ?? 0),
    outOfStock: pets - (now?.in_stock ?? 0),
  }
}

/** What happened to orders in the days up to a time. */
export function showDays(rows: readonly CountRow[], end: number, days: number) {
  const start = end - days * dayMs
  return Array.from({ length: days }, (_, index) => {
    const from = start + index * dayMs
    const ofDay = rows.filter(({ starts_at }) => starts_at >= from && starts_at < from + dayMs)
    const total = (column: 'placed' | 'completed' | 'cancelled' | 'units') =>
      ofDay.reduce((sum, row) => sum + row[column], 0)
    return {
      from: new Date(from).toISOString(),
      placed: total('placed'),
      completed: total('completed'),
      cancelled: total('cancelled'),
      unitsSold: total('units'),
    }
  })
}

function showHour(byHour: ReadonlyMap<number, CountRow>, start: number) {
  const { placed = 0, completed = 0, cancelled = 0, units = 0 } = byHour.get(start) ?? {}
  return { from: new Date(start).toISOString(), placed, completed, cancelled, unitsSold: units }
}
