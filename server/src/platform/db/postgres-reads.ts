import type { Id } from '../lib/int64.ts'
import type { Value } from './database.ts'
import type { Pool } from './postgres-pool.ts'
import { isInFailedTransaction, type Session } from './postgres-session.ts'

/** More reads than this on one connection would wait longer for each other than for another connection. */
const batchMax = 16
/** More ids than this in one statement would make the first wait for the last. */
const idsMax = 100

interface Waiting {
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** One statement: a query, or the rows with some ids. */
type Read =
  | (Waiting & { readonly sql: string; readonly params: readonly Value[] | undefined })
  | { readonly select: string; readonly callers: (Waiting & { readonly id: Id })[] }

interface Options {
  readonly responseMs: number
  /** Sends all statements of one tick together, which takes less processor time. */
  readonly isBatched?: boolean
}

interface Reads {
  query<R>(sql: string, params?: readonly Value[]): Promise<R[]>
  find<R>(select: string, id: Id): Promise<R | undefined>
}

/** Runs single statements outside a transaction. Those that wait at the same time share a connection. */
export function createReads(pool: Pool, { responseMs, isBatched = false }: Options): Reads {
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
        if (session.isPooled) await runInOneTransaction(session, batch)
        else
          await Promise.all(
            batch.map((read) =>
              run(session, read).then(
                (settle) => settle(),
                (error) => fail(read, error),
              ),
            ),
          )
      })
    } catch (error) {
      close()
      for (const read of batch) fail(read, error)
    }
  }

  /** Reads that another one's failure has undone are sent again, each separately. */
  async function runInOneTransaction(session: Session, batch: readonly Read[]): Promise<void> {
    const begun = session.begin()
    const results = Promise.allSettled(batch.map((read) => run(session, read)))
    const [begin, ended] = await Promise.allSettled([begun, session.run('COMMIT')])
    const isCommitted = ended.status === 'fulfilled' && ended.value.command === 'COMMIT'
    for (const [index, result] of (await results).entries()) {
      const read = batch[index] as Read
      if (isCommitted && result.status === 'fulfilled') result.value()
      else if (begin.status === 'rejected') fail(read, begin.reason)
      else if (result.status === 'rejected' && !isInFailedTransaction(result.reason)) fail(read, result.reason)
      else if (ended.status === 'rejected') fail(read, ended.reason)
      else void send([read])
    }
  }

  function add(read: Read): void {
    if (openBatch && openBatch.length < batchMax) return void openBatch.push(read)
    const batch = [read]
    openBatch = batch
    if (isBatched) setImmediate(send, batch)
    else void send(batch)
  }

  return {
    query: (sql, params) => new Promise((resolve, reject) => add({ sql, params, resolve, reject })),
    find: (select, id) =>
      new Promise((resolve, reject) => {
        const caller = { id, resolve, reject }
        const same = openBatch?.find((read) => 'select' in read && read.select === select)
        if (same && 'select' in same && same.callers.length < idsMax) same.callers.push(caller)
        else add({ select, callers: [caller] })
      }),
  }
}

/** Returns a function that gives the callers their results. */
async function run(session: Session, read: Read): Promise<() => void> {
  if ('sql' in read) {
    const rows = await session.run(read.sql, read.params)
    return () => read.resolve(rows as never)
  }
  const { select, callers } = read
  const [condition, param] =
    callers.length === 1
      ? ['= $1', (callers[0] as { id: Id }).id]
      : ['= ANY ($1::text::bigint[])', `{${callers.map(({ id }) => id).join(',')}}`]
  const found = await session.run<{ id: number }>(`${select} ${condition}`, [param])
  const rows = new Map(found.map((row) => [row.id as Id, row]))
  return () => {
    for (const { id, resolve } of callers) resolve(rows.get(id) as never)
  }
}

function fail(read: Read, error: unknown): void {
  for (const { reject } of 'sql' in read ? [read] : read.callers) reject(error)
}
