import { hourMs } from '../../platform/lib/time.ts'
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
    // Without an inventory item a pet is out of stock, so the pets with stock are counted and the others follow.
    lowStock: pets - (now?.well_stocked ?? 0),
    outOfStock: pets - (now?.in_stock ?? 0),
  }
}

function showHour(byHour: ReadonlyMap<number, CountRow>, start: number) {
  const { placed = 0, completed = 0, cancelled = 0, units = 0 } = byHour.get(start) ?? {}
  return { from: new Date(start).toISOString(), placed, completed, cancelled, unitsSold: units }
}
