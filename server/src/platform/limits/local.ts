import type { Database } from '../db/database.ts'
import { hourMs } from '../lib/time.ts'
import { createMemoryLimiter, isAddress, type Limiter } from './limiter.ts'
import { createReservations } from './reservations.ts'

/** A reservation is released after this long without a request. */
const idleMs = hourMs

/** The limiter of a single node counts in memory and reserves requests in the database ahead of time. */
export async function createLocalLimiter(db: Database, now: number): Promise<Limiter> {
  const memory = createMemoryLimiter()
  const reservations = await createReservations(db, memory.meters, now)

  return {
    used: memory.used,
    known: memory.known,
    expected: memory.expected,
    forgetStrikes: memory.forgetStrikes,

    admit(subject, limits, now, cost = 1) {
      const decision = memory.admit(subject, limits, now, cost)
      // Addresses are many and short-lived: they are not worth a write.
      if (!decision.admitted || isAddress(subject)) return decision
      const covered = reservations.cover(subject, limits, now, cost)
      return covered ? covered.then(() => decision) : decision
    },

    flush: reservations.write,

    async forgetIdle(settled) {
      reservations.release((subject) => memory.meters.of(subject).minute.last <= settled - idleMs)
      await memory.forgetIdle(settled)
      await reservations.write()
    },

    async close() {
      reservations.release(() => true)
      await reservations.write()
    },
  }
}
