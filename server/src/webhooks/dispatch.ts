import type { Database, Transaction } from '../db/database.ts'
import type { DeliveryRow } from '../db/tables.ts'
import { recorded } from '../events/record.ts'
import { again } from '../lib/again.ts'
import type { Clock } from '../lib/clock.ts'
import { gather } from '../lib/gather.ts'
import { minuteMs } from '../lib/time.ts'
import { because, type Log } from '../telemetry/log.ts'
import { webhooksChanged } from './announce.ts'
import { attempt, bodiesOf, type Unsent } from './attempt.ts'
import { claim, release } from './deliveries.ts'
import { catchUp, fanOut } from './fan-out.ts'
import { type Finished, type Outcome, recordOutcomes } from './outcome.ts'
import { createSlots } from './slots.ts'
import { countWaiting, type EndpointRow, findDue, isAnyActive } from './store.ts'
import type { Reach } from './url.ts'

/** Longer than an attempt can take, so that nobody takes over what is still being done. */
const leaseMs = minuteMs
/** How often a node looks for events of other nodes and for deliveries whose time has come. */
const lookEveryMs = 500
/** How often a node without webhooks looks for one that it has not heard of. */
const lookRarelyMs = minuteMs
/** How often a node counts what waits, and goes on with webhooks that were held back. */
const countEveryMs = 10_000
/** How long attempts may take to end when the node stops. */
const stopMsMax = 1_000

/** What this node has done and has to do. */
export interface DispatchCounts {
  readonly outcomes: Readonly<Record<Outcome, number>>
  readonly underWay: number
  /** Of all nodes, as last counted. */
  readonly waiting: number
}

export interface Dispatcher {
  counts(): DispatchCounts
  stop(): Promise<void>
}

interface Parts {
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly reach: Reach
  /** How many attempts the node makes at the same time. */
  readonly attemptsMax: number
}

interface Taken {
  readonly endpoint: EndpointRow
  readonly delivery: DeliveryRow
  readonly body: string | Unsent
}

/** Delivers what webhooks are to get, together with all other nodes. While there is no webhook it does nothing. */
export function startDispatcher({ db, clock, log, reach, attemptsMax }: Parts): Dispatcher {
  const slots = createSlots(attemptsMax)
  const underWay = new Set<Promise<void>>()
  const outcomes: Record<Outcome, number> = { delivered: 0, retried: 0, 'given up': 0 }
  const stopping = new AbortController()
  let isServing = false
  let waiting = 0
  let countedAt = Number.NEGATIVE_INFINITY

  const failed = (error: unknown) =>
    log.write('warn', 'webhooks could not be served and will be tried again', because(error))

  async function look(): Promise<number> {
    isServing = await isAnyActive(db)
    if (!isServing) {
      waiting = 0
      return lookRarelyMs
    }
    while (!stopping.signal.aborted && (await fanOut(db, clock.now()))) await beginDue()
    await beginDue()
    if (performance.now() - countedAt > countEveryMs) {
      await catchUp(db, clock.now())
      waiting = await countWaiting(db, clock.now())
      countedAt = performance.now()
    }
    return lookEveryMs
  }

  /** Takes deliveries for the slots that are free, and begins to send them. */
  async function beginDue(): Promise<void> {
    let mayBeMore = true
    while (mayBeMore && slots.count() < attemptsMax && !stopping.signal.aborted) {
      const now = clock.now()
      const due = await findDue(db, now)
      const allotted = slots.allot(due, now)
      if (allotted.size === 0) return
      const receivers = due.filter(({ id }) => allotted.has(id))
      const taken = await db.transaction((tx) => take(tx, receivers, allotted, now))
      for (const each of taken) begin(each)
      // What some did not need is there for others, or for the next of the same.
      mayBeMore = taken.length > 0 && taken.length < sum(allotted.values())
    }
  }

  async function take(
    tx: Transaction,
    receivers: readonly EndpointRow[],
    allotted: ReadonlyMap<number, number>,
    now: number,
  ): Promise<Taken[]> {
    const taken: Omit<Taken, 'body'>[] = []
    for (const endpoint of receivers) {
      const { id } = endpoint
      const room = allotted.get(id) ?? 0
      const asked = { room, underWay: slots.ofWebhook(id), now, leaseEndsAt: now + leaseMs }
      for (const delivery of await claim(tx, id, asked)) taken.push({ endpoint, delivery })
    }
    const bodies = await bodiesOf(tx, taken)
    return taken.map((each, index) => ({ ...each, body: bodies[index] as string | Unsent }))
  }

  function begin(taken: Taken): void {
    const { endpoint, delivery } = taken
    slots.begin(delivery.id, endpoint)
    const done = deliver(taken)
      .catch(failed)
      .finally(() => {
        slots.end(delivery.id)
        underWay.delete(done)
        loop.wake()
      })
    underWay.add(done)
  }

  async function deliver({ endpoint, delivery, body }: Taken): Promise<void> {
    const at = clock.now()
    const made = await attempt(endpoint, delivery, body, at, { ...reach, signal: stopping.signal })
    // Cut off by our own end: nobody knows what came of it, so another node makes it again at once.
    const isCutOff = stopping.signal.aborted && made.status === undefined
    if (isCutOff) return db.transaction((tx) => release(tx, delivery, clock.now()))
    return writeOutcome({ delivery, attempt: made, at })
  }

  /** Those that end while others are being written are written together. */
  const writeOutcome = gather<Finished>(async (finished) => {
    const written = await db.transaction((tx) => recordOutcomes(tx, finished, clock.now()))
    for (const outcome of written) outcomes[outcome]++
  })

  const loop = again(look, failed)
  db.listen(webhooksChanged, loop.wake, loop.wake)
  db.listen(recorded, () => {
    if (isServing) loop.wake()
  })

  return {
    counts: () => ({ outcomes, underWay: slots.count(), waiting }),
    async stop() {
      const ended = loop.stop()
      const timer = setTimeout(() => stopping.abort(new Error('stopping')), stopMsMax)
      await ended
      await Promise.all(underWay)
      clearTimeout(timer)
    },
  }
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0)
