import type { Database } from '../db/database.ts'
import { loadAhead, loadCounters, saveAhead, saveCounters } from './counters.ts'
import { type Meters, startsOf } from './meters.ts'

/** Takes up the counts where the process before this one has left them. */
export async function takeUp(db: Database, meters: Meters, now: number): Promise<void> {
  for (const { subject, period, starts_at, used } of await loadCounters(db, now)) {
    meters.of(subject)[period].set(starts_at, used)
  }
  const left = await loadAhead(db)
  if (left.length === 0) return
  // It has crashed: what it had written ahead may be used, and in any window, so it counts as used in each.
  const current = startsOf(now)
  const counted = left.flatMap(({ subject, ahead }) =>
    (['minute', 'day'] as const).flatMap((period) => {
      const tally = meters.of(subject)[period]
      const starts = new Set([...tally.entries()].map(([start]) => start)).add(current[period])
      return [...starts].map((starts_at) => {
        const used = tally.at(starts_at) + ahead
        tally.set(starts_at, used)
        return { subject, period, starts_at, used }
      })
    }),
  )
  await db.transaction(async (tx) => {
    await saveCounters(tx, counted)
    await saveAhead(
      tx,
      left.map(({ subject }) => ({ subject, ahead: 0 })),
    )
  })
}
