import { type Database, DatabaseUnavailable, type Transaction } from '../../src/platform/db/database.ts'
import { eventually } from './eventually.ts'

class Locked extends Error {}

/** The same database, but its transactions are retried while the service's own jobs have a lock, instead of doing nothing. */
export const waitingForLocks = (db: Database): Database => ({
  ...db,
  async transaction(work, ...conditions) {
    const { value } = await eventually(async () => {
      try {
        return { value: await db.transaction((tx) => work({ ...tx, tryLock: lockOrThrow(tx) }), ...conditions) }
      } catch (error) {
        if (!(error instanceof Locked || error instanceof DatabaseUnavailable)) throw error
        return undefined
      }
    })
    return value
  },
})

const lockOrThrow = (tx: Transaction) => async (name: string) => {
  if (await tx.tryLock(name)) return true
  throw new Locked()
}
