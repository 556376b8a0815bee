import type { Value } from './database.ts'
import type { Pool } from './postgres-pool.ts'

/** More than this on one connection would wait for each other longer than for another connection. */
const readsAtOnce = 16

interface Read {
  readonly sql: string
  readonly params: readonly Value[] | undefined
  readonly resolve: (rows: never[]) => void
  readonly reject: (error: unknown) => void
}

interface Options {
  readonly answerMs: number
  /** Sends the statements of one turn of the event loop together, which takes the processor less time than each alone. */
  readonly gathers?: boolean
}

/** Single statements outside a transaction. Those that wait together are sent together, on one connection. */
export function createReads(
  pool: Pool,
  { answerMs, gathers = false }: Options,
): <R>(sql: string, params?: readonly Value[]) => Promise<R[]> {
  /** The last batch that waits for the end of the turn or for a connection, while there is room in it. */
  let gathering: Read[] | undefined

  async function send(batch: Read[]): Promise<void> {
    const deadline = { at: performance.now() + answerMs, late: (session: { cancel(): void }) => session.cancel() }
    const close = () => {
      if (gathering === batch) gathering = undefined
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
      if (gathering && gathering.length < readsAtOnce) {
        gathering.push(read)
        return
      }
      const batch = [read]
      gathering = batch
      if (gathers) setImmediate(send, batch)
      else void send(batch)
    })
}
