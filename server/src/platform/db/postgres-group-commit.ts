import { DatabaseUnavailable, type FirstStep } from './database.ts'
import type { DatabaseObserver } from './observer.ts'
import { type Member, MustRunAlone, type Outcome, runMembers } from './postgres-shared-transaction.ts'
import type { Work } from './postgres-transaction.ts'
import { createWaitQueue, type WaitQueue, waitMsMax } from './wait-queue.ts'

// Group commit: work that begins by locking a row shares a transaction with whatever else waits at the time.

/** How many lines the rows of a table are divided into. Each line runs one transaction at a time. */
const linesPerTable = 2
/** The most members of a transaction: more would lock the rows of the first for too long. */
const membersMax = 50
/** The assumed time per member before the first measurement. */
const assumedMs = 1

interface Waiting extends Member {
  readonly startedAt: number
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

interface Line {
  readonly name: string
  /** Set for the line of a row that a transaction elsewhere has locked: it waits for that lock, so that other rows need not. */
  readonly isOfLockedRow: boolean
  readonly queue: WaitQueue<Waiting>
  isRunning: boolean
}

interface Dependencies {
  /** Runs one transaction, and retries it after a conflict. */
  readonly run: <T>(startedAt: number, work: Work<T>, allowed?: Promise<void>) => Promise<T>
  readonly observer: DatabaseObserver
}

export function createGroupCommit({ run, observer }: Dependencies) {
  const lines = new Map<string, Line>()

  const lineNamed = (name: string, isOfLockedRow = false): Line =>
    lines.getOrInsertComputed(name, () => ({
      name,
      isOfLockedRow,
      isRunning: false,
      queue: createWaitQueue<Waiting>({ assumedMs, patienceMs: waitMsMax }, ({ reject }) => {
        observer.shed()
        reject(new DatabaseUnavailable(`others that change the same row took longer than ${waitMsMax} ms`))
      }),
    }))

  const lineOf = (first: FirstStep): Line => lines.get(nameOfRow(first)) ?? lineNamed(nameOfShare(first))

  function enter(line: Line, member: Waiting, allowed?: Promise<void>): void {
    if (!line.isRunning) void runLine(line, [member], allowed)
    else if (!line.queue.enqueue(member)) {
      observer.shed()
      const reason = `too many are waiting for the same row to be served within ${waitMsMax} ms`
      member.reject(new DatabaseUnavailable(reason))
    }
  }

  /** Runs members, and then those that have gathered meanwhile, until none wait. */
  async function runLine(line: Line, first: Waiting[], allowed?: Promise<void>): Promise<void> {
    line.isRunning = true
    await runTogether(line, first, allowed)
    for (let members = take(line); members.length > 0; members = take(line)) await runTogether(line, members)
    line.isRunning = false
    if (line.isOfLockedRow) lines.delete(line.name)
  }

  async function runTogether(line: Line, members: Waiting[], allowed?: Promise<void>): Promise<void> {
    const startedAt = Math.min(...members.map((member) => member.startedAt))
    const join = line.isOfLockedRow ? () => members.push(...take(line, membersMax - members.length)) : undefined
    try {
      const outcomes = await run(startedAt, (tx) => runMembers(tx, members, join), allowed)
      observer.committed(outcomes.filter((outcome) => outcome !== 'locked elsewhere').length)
      for (const [index, member] of members.entries()) settle(member, outcomes[index] as Outcome)
    } catch (error) {
      const isOfOne = members.length === 1 && !(error instanceof MustRunAlone)
      if (isOfOne || error instanceof DatabaseUnavailable) for (const { reject } of members) reject(error)
      else void runAlone(members, allowed)
    }
  }

  function settle(member: Waiting, outcome: Outcome): void {
    if (outcome === 'locked elsewhere') enter(lineNamed(nameOfRow(member.first), true), member)
    else if ('error' in outcome) member.reject(outcome.error)
    else member.resolve(outcome.value)
  }

  /** Runs each in its own transaction, so that a failure affects only one. */
  async function runAlone(members: readonly Waiting[], allowed?: Promise<void>): Promise<void> {
    observer.retried()
    let outage: DatabaseUnavailable | undefined
    for (const { work, startedAt, resolve, reject } of members) {
      if (outage) reject(new DatabaseUnavailable(outage))
      else
        await run(startedAt, work, allowed).then(resolve, (error) => {
          if (error instanceof DatabaseUnavailable) outage = error
          reject(error)
        })
    }
  }

  return {
    async join<T>(work: Work<T>, allowed: Promise<void> | undefined, first: FirstStep): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      const member: Waiting = { work, first, startedAt: performance.now(), resolve, reject }
      const line = lineOf(first)
      if (line.isRunning) {
        // Only admitted work may wait for others, or make them wait.
        await allowed
        enter(lineOf(first), member)
      } else enter(line, member, allowed)
      return promise as Promise<T>
    },
    /** How many wait. */
    get waiting(): number {
      return lines.values().reduce((sum, { queue }) => sum + queue.length, 0)
    },
  }
}

const nameOfRow = ({ lock, id }: FirstStep): string => `${lock.table} ${id}`
const nameOfShare = ({ lock, id }: FirstStep): string => `line ${BigInt(id) % BigInt(linesPerTable)} of ${lock.table}`

/** Takes those that have waited longest off the queue. */
function take({ queue }: Line, most = membersMax): Waiting[] {
  const taken: Waiting[] = []
  while (taken.length < most) {
    const member = queue.take()
    if (!member) break
    taken.push(member)
  }
  return taken
}
