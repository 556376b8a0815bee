import { setTimeout as pause } from 'node:timers/promises'
import { jitter } from '../lib/random.ts'
import { type Database, DatabaseUnavailable, type Dialect } from './database.ts'
import { createLine, type Line, waitMsMax } from './line.ts'
import { type Connection, conditionAfter, hasMoved, isInTransaction, run, translate } from './sqlite-connection.ts'
import { type Attempt, createWrites, type Notice, type Write, type WriteResult } from './sqlite-transaction.ts'

/** How long a write waits at most, which it does while another process has the lock. */
export const patienceMs = 5_000
const pauseMaxMs = 25
/** Writes in one commit: more, or slow ones for longer, would keep everybody else waiting for too long. */
const batchMax = 250
const batchMsMax = 200
/** What a write is thought to take before it was measured. */
const assumedMs = 0.25

interface WaitingWrite {
  readonly work: Write
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

interface Parts {
  readonly writer: Connection
  readonly dialect: Dialect
  readonly beforeCommit: () => void
  /** Told of what was committed, when whoever waited for it has been told. */
  readonly heard: (notice: Notice) => void
}

export interface GroupCommit extends Pick<Database, 'transaction' | 'urgently' | 'waiting'> {
  hasRoom(): boolean
  /** Resolves when nobody waits any more. */
  idle(): Promise<void>
}

/** All writes that wait when a transaction begins are done in it, one after the other, and share its one fsync. */
export function createGroupCommit({ writer, dialect, beforeCommit, heard }: Parts): GroupCommit {
  const newLine = () =>
    createLine<WaitingWrite>({ assumedMs, patienceMs }, ({ reject }) =>
      reject(lockedOut ?? new DatabaseUnavailable(`not begun within ${patienceMs} ms`)),
    )
  const line = newLine()
  const ahead = newLine()
  const writes = createWrites(writer, dialect)
  const waiting = () => ahead.length + line.length
  let lockedOut: unknown
  let draining: Promise<void> | undefined

  async function drain(): Promise<void> {
    // So that requests read from the sockets together are committed together.
    await turnOfTheLoop()
    while (waiting() > 0) {
      if (await begin()) {
        const batch: WaitingWrite[] = []
        await commitTogether(batch).catch((error) => {
          for (const job of batch) job.reject(translate(error))
        })
      }
      // When they were too many for one commit, everybody else has a turn before the next.
      if (waiting() > 0) await turnOfTheLoop()
    }
    draining = undefined
  }

  /** Begins a transaction for those who wait. Nobody does any more: none is begun. */
  async function begin(): Promise<boolean> {
    for (let pauseMs = 1; waiting() > 0; pauseMs = Math.min(pauseMs * 2, pauseMaxMs)) {
      try {
        run(writer, 'BEGIN IMMEDIATE')
        lockedOut = undefined
        return true
      } catch (error) {
        if (conditionAfter(error) === 'locked') lockedOut = error
        else for (const job of [...ahead.dissolve(), ...line.dissolve()]) job.reject(error)
      }
      // SQLite's own way to wait for another process would hold up reads and all else in this one.
      await pause(jitter(pauseMs))
    }
    return false
  }

  async function commitTogether(batch: WaitingWrite[]): Promise<void> {
    const endsAt = performance.now() + batchMsMax
    const isFull = () => batch.length >= batchMax || performance.now() >= endsAt
    let attempt: Attempt = writes.attempt
    let results: WriteResult[] = []
    writes.begun()
    try {
      while (!isFull()) {
        const job = ahead.take() ?? line.take()
        if (!job) break
        batch.push(job)
        const attempted = attempt(job.work)
        const result = attempted instanceof Promise ? await attempted : attempted
        if ('error' in result && result.hasChanged) {
          results = await doAgain(batch.slice(0, -1))
          attempt = writes.attemptApart
        }
        results.push(result)
      }
      beforeCommit()
      // An answer must not promise what is gone at the next start.
      if (hasMoved(writer)) throw new DatabaseUnavailable('the file is not where it was')
      run(writer, 'COMMIT')
    } catch (error) {
      if (isInTransaction(writer)) run(writer, 'ROLLBACK')
      throw error
    }
    for (const [index, result] of results.entries()) {
      const job = batch[index] as WaitingWrite
      if ('error' in result) job.reject(result.error)
      else job.resolve(result.value as never)
    }
    // After all of them are told: a listener that fails must not make a committed write look failed.
    for (const notice of writes.notices()) heard(notice)
  }

  /** Few writes fail after they have changed something. Then those before it are done again, each so that it can be undone alone. */
  async function doAgain(done: readonly WaitingWrite[]): Promise<WriteResult[]> {
    run(writer, 'ROLLBACK')
    run(writer, 'BEGIN IMMEDIATE')
    writes.begun()
    const results: WriteResult[] = []
    for (const { work } of done) results.push(await writes.attemptApart(work))
    return results
  }

  const transactionIn =
    (line: Line<WaitingWrite>): Database['transaction'] =>
    (work) =>
      new Promise((resolve, reject) => {
        if (line.join({ work, resolve, reject })) draining ??= drain()
        else reject(new DatabaseUnavailable(`more wait than can be done within ${waitMsMax} ms`))
      })

  return {
    transaction: transactionIn(line),
    urgently: transactionIn(ahead),
    waiting,
    hasRoom: line.hasRoom,
    idle: async () => draining,
  }
}

const turnOfTheLoop = () => new Promise<void>((resolve) => setImmediate(resolve))
