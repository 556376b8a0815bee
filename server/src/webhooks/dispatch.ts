import type { Database } from '../db/database.ts'
import type { DeliveryRow } from '../db/tables.ts'
import { recorded } from '../events/record.ts'
import { again } from '../lib/again.ts'
import type { Clock } from '../lib/clock.ts'
import { minuteMs } from '../lib/time.ts'
import { because, type Log } from '../telemetry/log.ts'
import { webhooksChanged } from './announce.ts'
import { attempt } from './attempt.ts'
import { claim, countPending, release } from './deliveries.ts'
import { fanOut } from './fan-out.ts'
import { type Outcome, recordOutcome } from './outcome.ts'
import { type EndpointRow, findDue, isAnyActive } from './store.ts'
import type { Reach } from './url.ts'

/** So many attempts a node makes at the same time, and so many of them to one webhook. */
const attemptsMax = 64
const attemptsPerWebhookMax = 5
/** A webhook that has had no success for this long gets one attempt at a time. */
const failingMs = minuteMs
/** Longer than an attempt can take, so that nobody takes over what is still being done. */
const leaseMs = minuteMs
/** How often a node looks for events of other nodes and for deliveries whose time has come. */
const lookEveryMs = 500
/** How often a node without webhooks looks for one that it has not heard of. */
const lookRarelyMs = minuteMs
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
}

/** Delivers what webhooks are to get, together with all other nodes. While there is no webhook it does nothing. */
export function startDispatcher({ db, clock, log, reach }: Parts): Dispatcher {
  /** By the id of the delivery; few, so those of one webhook are looked for among them. */
  const underWay = new Map<number, { webhookId: number; done: Promise<void> }>()
  /** When each webhook last had its turn, to let those go first that have waited longest. */
  const turns = new Map<number, number>()
  const outcomes: Record<Outcome, number> = { delivered: 0, retried: 0, 'given up': 0 }
  const stopping = new AbortController()
  let isServing = false
  let turn = 0
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
      waiting = await countPending(db)
      countedAt = performance.now()
    }
    return lookEveryMs
  }

  /** Takes as many deliveries as there is room for, each webhook its share, and begins to send them. */
  async function beginDue(): Promise<void> {
    const room = attemptsMax - underWay.size
    if (room <= 0 || stopping.signal.aborted) return
    const now = clock.now()
    const due = (await findDue(db, now)).sort((one, other) => turnOf(one) - turnOf(other))
    if (due.length === 0) return
    turn++
    const share = Math.max(1, Math.floor(room / due.length))
    const taken = await db.transaction(async (tx) => {
      const taken: { endpoint: EndpointRow; delivery: DeliveryRow }[] = []
      for (const endpoint of due) {
        const own = underWayTo(endpoint)
        const asked = {
          room: Math.min(room - taken.length, share, roomOf(endpoint, now) - own.length),
          underWay: own,
          now,
        }
        if (asked.room <= 0) continue
        const deliveries = await claim(tx, endpoint.id, { ...asked, leaseEndsAt: now + leaseMs })
        taken.push(...deliveries.map((delivery) => ({ endpoint, delivery })))
      }
      return taken
    })
    for (const { endpoint, delivery } of taken) {
      turns.set(endpoint.id, turn)
      begin(endpoint, delivery)
    }
  }

  const roomOf = ({ failing_since }: EndpointRow, now: number): number =>
    failing_since !== null && now - failing_since >= failingMs ? 1 : attemptsPerWebhookMax

  const underWayTo = ({ id }: EndpointRow): number[] =>
    [...underWay].flatMap(([deliveryId, { webhookId }]) => (webhookId === id ? [deliveryId] : []))

  const turnOf = ({ id }: EndpointRow): number => turns.get(id) ?? 0

  function begin(endpoint: EndpointRow, delivery: DeliveryRow): void {
    const done = deliver(endpoint, delivery)
      .catch(failed)
      .finally(() => {
        underWay.delete(delivery.id)
        loop.wake()
      })
    underWay.set(delivery.id, { webhookId: endpoint.id, done })
  }

  async function deliver(endpoint: EndpointRow, delivery: DeliveryRow): Promise<void> {
    const at = clock.now()
    const made = await attempt(db, endpoint, delivery, at, { ...reach, signal: stopping.signal })
    // Cut off by our own end: nobody knows what came of it, so another node makes it again at once.
    const isCutOff = stopping.signal.aborted && made.status === undefined
    if (isCutOff) return db.transaction((tx) => release(tx, delivery, clock.now()))
    const outcome = await db.transaction((tx) => recordOutcome(tx, delivery, made, { at, now: clock.now() }))
    outcomes[outcome]++
  }

  const loop = again(look, failed)
  db.listen(webhooksChanged, loop.wake, loop.wake)
  db.listen(recorded, () => {
    if (isServing) loop.wake()
  })

  return {
    counts: () => ({ outcomes, underWay: underWay.size, waiting }),
    async stop() {
      const ended = loop.stop()
      const done = () => Promise.all([...underWay.values()].map((each) => each.done))
      const timer = setTimeout(() => stopping.abort(new Error('stopping')), stopMsMax)
      await ended
      await done()
      clearTimeout(timer)
    },
  }
}
