import type { Value } from './database.ts'
import type { Pool } from './postgres-pool.ts'

/** More reads than this on one connection would wait longer for each other than for another connection. */
const batchMax = 16

interface Read {
  readonly sql: string
  readonly params: readonly Value[] | undefined
  readonly resolve: (rows: never[]) => void
  readonly reject: (error: unknown) => void
}

interface Options {
  readonly responseMs: number
  /** Sends all statements of one tick together, which takes less processor time. */
  readonly isBatched?: boolean
}

/** Runs single statements outside a transaction. Those that wait at the same time share a connection. */
export function createReads(
  pool: Pool,
  { responseMs, isBatched = false }: Options,
): <R>(sql: string, params?: readonly Value[]) => Promise<R[]> {
  /** The batch that still takes statements: it waits for the end of the tick or for a connection. */
  let openBatch: Read[] | undefined

  async function send(batch: Read[]): Promise<void> {
    const deadline = { at: performance.now() + responseMs, onLate: (session: { cancel(): void }) => session.cancel() }
    const close = () => {
      if (openBatch === batch) openBatch = undefined
    }
    try {
      await pool.use(deadline, async (session) => {
        close()
        await Promise.all(
          batch.map(({ sql, params, resolve, reject }) => session.run<never>(sql, params).then(resolve, reject)),
        )
      })
    } catch (error) {
      close()
      for (const { reject } of batch) reject(error)
    }
  }

  return (sql, params) =>
    new Promise((resolve, reject) => {
      const read: Read = { sql, params, resolve: resolve as Read['resolve'], reject }
      if (openBatch && openBatch.length < batchMax) {
        openBatch.push(read)
        return
      }
      const batch = [read]
      openBatch = batch
      if (isBatched) setImmediate(send, batch)
      else void send(batch)
    })
}
