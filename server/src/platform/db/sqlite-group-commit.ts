import { setTimeout as pause } from 'node:timers/promises'
import { jitter } from '../lib/random.ts'
import { type Database, DatabaseUnavailable, type Dialect } from './database.ts'
import { type Connection, conditionAfter, hasMoved, isInTransaction, run, translate } from './sqlite-connection.ts'
import { createWriteRunner, type Notice, type RunWrite, type Write, type WriteResult } from './sqlite-transaction.ts'
import { createWaitQueue, type WaitQueue, waitMsMax } from './wait-queue.ts'

/** The longest a write waits while another process has the lock. */
export const patienceMs = 5_000
const pauseMaxMs = 25
/** The most writes in one commit, and its longest duration: more would delay everything else. */
const batchMax = 250
const batchMsMax = 200
/** The assumed time per write before the first measurement. */
const assumedMs = 0.25

interface WaitingWrite {
  readonly work: Write
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

interface Dependencies {
  readonly writer: Connection
  readonly dialect: Dialect
  readonly beforeCommit: () => void
  /** Called for each committed notice, after the waiting callers have their results. */
  readonly onNotice: (notice: Notice) => void
}

export interface GroupCommit extends Pick<Database, 'transaction' | 'urgently' | 'waiting'> {
  hasRoom(): boolean
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

/** Group commit: all writes that wait when a transaction begins run in it, one after the other, and share one fsync. */
export function createGroupCommit({ writer, dialect, beforeCommit, onNotice }: Dependencies): GroupCommit {
  const createQueue = () =>
    createWaitQueue<WaitingWrite>({ assumedMs, patienceMs }, ({ reject }) =>
      reject(lockedOut ?? new DatabaseUnavailable(`not started within ${patienceMs} ms`)),
    )
  const queue = createQueue()
  const urgentQueue = createQueue()
  const runner = createWriteRunner(writer, dialect)
  const waiting = () => urgentQueue.length + queue.length
  let lockedOut: unknown
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    // Requests that arrive in one tick are committed together.
    await nextTick()
    while (waiting() > 0) {
      if (await begin()) {
        const batch: WaitingWrite[] = []
        await commitTogether(batch).catch((error) => {
          for (const job of batch) job.reject(translate(error))
        })
      }
      // If there were too many for one commit, let other work run before the next.
      if (waiting() > 0) await nextTick()
    }
    draining = undefined
  }

  /** Begins a transaction. Returns false if nothing waits any more. */
  async function begin(): Promise<boolean> {
    for (let pauseMs = 1; waiting() > 0; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        run(writer, 'BEGIN IMMEDIATE')
        lockedOut = undefined
        return true
      } catch (error) {
        if (conditionAfter(error) === 'locked') lockedOut = error
        else for (const job of [...urgentQueue.clear(), ...queue.clear()]) job.reject(error)
      }
      // SQLite's own wait for another process would block this one, including its reads.
      await pause(jitter(pauseMs))
    }
    return false
  }

  async function commitTogether(batch: WaitingWrite[]): Promise<void> {
    const endsAt = performance.now() + batchMsMax
    const isFull = () => batch.length >= batchMax || performance.now() >= endsAt
    let runWrite: RunWrite = runner.runDirectly
    let results: WriteResult[] = []
    runner.reset()
    try {
      while (!isFull()) {
        const job = urgentQueue.take() ?? queue.take()
        if (!job) break
        batch.push(job)
        const running = runWrite(job.work)
        const result = running instanceof Promise ? await running : running
        if ('error' in result && result.hasChanged) {
          results = await redo(batch.slice(0, -1))
          runWrite = runner.runInSavepoint
        }
        results.push(result)
      }
      beforeCommit()
      // Do not acknowledge a write that would be gone after a restart.
      if (hasMoved(writer)) throw new DatabaseUnavailable('the file was moved or replaced')
      run(writer, 'COMMIT')
      writer.observer.committed(batch.length)
    } catch (error) {
      if (isInTransaction(writer)) run(writer, 'ROLLBACK')
      throw error
    }
    for (const [index, result] of results.entries()) {
      const job = batch[index] as WaitingWrite
      if ('error' in result) job.reject(result.error)
      else job.resolve(result.value as never)
    }
    // After the results: a listener that fails must not make a committed write look failed.
    for (const notice of runner.notices()) onNotice(notice)
  }

  /** A write failed after it changed something, which is rare: runs the previous ones again, each in a savepoint. */
  async function redo(done: readonly WaitingWrite[]): Promise<WriteResult[]> {
    writer.observer.retried()
    run(writer, 'ROLLBACK')
    run(writer, 'BEGIN IMMEDIATE')
    runner.reset()
    const results: WriteResult[] = []
    for (const { work } of done) results.push(await runner.runInSavepoint(work))
    return results
  }

  const transactionIn =
    (target: WaitQueue<WaitingWrite>): Database['transaction'] =>
    (work) =>
      new Promise((resolve, reject) => {
        if (target.enqueue({ work, resolve, reject })) {
          draining ??= drain()
          return
        }
        writer.observer.shed()
        reject(new DatabaseUnavailable(`too many are waiting to be served within ${waitMsMax} ms`))
      })

  return {
    transaction: transactionIn(queue),
    urgently: transactionIn(urgentQueue),
    waiting,
    hasRoom: queue.hasRoom,
    idle: async () => draining,
  }
}

const nextTick = () => new Promise<void>((resolve) => setImmediate(resolve))
