import type { Database, Transaction } from '../../src/db/database.ts'

/** The same database, but its transactions wait for a lock that the service's own jobs have, instead of giving up. */
export const waitingForLocks = (db: Database): Database => ({
  ...db,
  transaction: (work, allowed) => db.transaction((tx) => work({ ...tx, tryLock: waitInside(tx) }), allowed),
})

const waitInside = (tx: Transaction) => async (name: string) => {
  while (!(await tx.tryLock(name))) await Bun.sleep(5)
  return true
}
