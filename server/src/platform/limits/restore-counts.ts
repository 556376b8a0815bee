import type { Database } from '../db/database.ts'
import { loadCounters, loadReservations, saveCounters, saveReservations } from './counters.ts'
import { type Meters, startsOf } from './meters.ts'

/** Restores the counts that the previous process left. */
export async function restoreCounts(db: Database, meters: Meters, now: number): Promise<void> {
  for (const { subject, period, starts_at, used } of await loadCounters(db, now)) {
    meters.of(subject)[period].set(starts_at, used)
  }
  const reservations = await loadReservations(db)
  if (reservations.length === 0) return
  // It crashed: its reservations may have been used in any window, so they count as used in each.
  const current = startsOf(now)
  const counters = reservations.flatMap(({ subject, reserved }) =>
    (['minute', 'day'] as const).flatMap((period) => {
      const tally = meters.of(subject)[period]
      const starts = new Set([...tally.entries()].map(([start]) => start)).add(current[period])
      return [...starts].map((starts_at) => {
        const used = tally.at(starts_at) + reserved
        tally.set(starts_at, used)
        return { subject, period, starts_at, used }
      })
    }),
  )
  await db.transaction(async (tx) => {
    await saveCounters(tx, counters)
    await saveReservations(
      tx,
      reservations.map(({ subject }) => ({ subject, reserved: 0 })),
    )
  })
}
