import type { Database, Transaction } from '../db/database.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { eventsRecorded } from '../events/record.ts'
import type { Clock } from '../lib/clock.ts'
import { createBatcher } from '../lib/concurrency.ts'
import type { Random } from '../lib/random.ts'
import { repeat } from '../lib/repeat.ts'
import { minuteMs } from '../lib/time.ts'
import { errorFields, type Log } from '../telemetry/log.ts'
import type { Tracer } from '../telemetry/traces/tracer.ts'
import { webhooksChanged } from './announce.ts'
import { type Attempt, buildMessages, type Message, makeAttempt, type Unsendable } from './attempt.ts'
import { claim, type DeliveryRow, release } from './deliveries.ts'
import { catchUp, fanOut } from './fan-out.ts'
import { type AttemptResult, type FinishedAttempt, recordAttempts } from './record-attempts.ts'
import type { SigningSecrets } from './signing-secrets.ts'
import { createSlots } from './slots.ts'
import { countWaiting, type EndpointRow, findDue, findNextDue, isAnyActive } from './store.ts'
import type { UrlPolicy } from './url.ts'

/** Longer than an attempt can take, so that no other node claims a delivery that is still being sent. */
const leaseMs = minuteMs
/** How often a node checks for events of other nodes and for due deliveries. */
const checkEveryMs = 500
/** How often a node checks for webhooks while there are none, in case it missed a notification. */
const idleCheckEveryMs = minuteMs
/** How often a node counts pending deliveries and continues webhooks that fell behind. */
const countEveryMs = 10_000
/** How many webhooks have their attempts counted separately. */
const webhooksCountedMax = 100
/** How long running attempts may take when the node stops. */
const stopMsMax = 1_000

/** Delivery counters of this node. */
interface DispatchCounts {
  /** By webhook id; webhooks beyond the first hundred share an entry. */
  readonly byWebhook: ReadonlyMap<string, Readonly<Record<AttemptResult, number>>>
  readonly running: number
  /** Pending deliveries of all nodes, as last counted. */
  readonly waiting: number
  /** How long the oldest of them has been due. */
  readonly oldestDueMs: number
}

export interface Dispatcher {
  counts(): DispatchCounts
  /** Makes every attempt that is due, and waits until they have ended. */
  runDue(): Promise<void>
  stop(): Promise<void>
}

interface Dependencies {
  readonly db: Database
  readonly catalogue: EventCatalogue
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly urlPolicy: UrlPolicy
  readonly secrets: SigningSecrets
  /** The most concurrent attempts of this node. */
  readonly attemptsMax: number
  readonly tracer: Tracer | undefined
  /** Called when attempts have ended and are stored. */
  readonly onAttempts?: ((db: Database) => Promise<void>) | undefined
}

interface ClaimedDelivery {
  readonly endpoint: EndpointRow
  readonly delivery: DeliveryRow
  readonly message: Message | Unsendable
}

/** Delivers events to webhooks, sharing the work with all other nodes. Does nothing while there are no webhooks. */
export function startDispatcher({
  db,
  catalogue,
  clock,
  random,
  log,
  urlPolicy,
  secrets,
  attemptsMax,
  tracer,
  onAttempts,
}: Dependencies): Dispatcher {
  const slots = createSlots(attemptsMax)
  const running = new Set<Promise<void>>()
  const byWebhook = new Map<string, Record<AttemptResult, number>>()
  const stopping = new AbortController()
  let isServing = false
  let waiting = 0
  let oldestDueMs = 0
  let countedAt = Number.NEGATIVE_INFINITY

  const reportError = (error: unknown) =>
    log.write('warn', 'webhook delivery failed and will be retried', errorFields(error))

  async function check(): Promise<number> {
    isServing = await isAnyActive(db)
    if (!isServing) {
      waiting = 0
      oldestDueMs = 0
      return idleCheckEveryMs
    }
    while (!stopping.signal.aborted && (await fanOut(db, catalogue, clock.now()))) await startDue()
    await startDue()
    if (performance.now() - countedAt > countEveryMs) {
      await catchUp(db, catalogue, clock.now())
      waiting = await countWaiting(db, clock.now())
      const now = clock.now()
      oldestDueMs = Math.max(0, now - ((await findNextDue(db, now)) ?? now))
      countedAt = performance.now()
    }
    return checkEveryMs
  }

  /** Claims due deliveries for the free slots and starts sending them. */
  async function startDue(): Promise<void> {
    let mayBeMore = true
    while (mayBeMore && slots.count() < attemptsMax && !stopping.signal.aborted) {
      const now = clock.now()
      // Others are left to nodes that can sign them.
      const due = (await findDue(db, now)).filter(({ secret, old_secret }) =>
        [secret, old_secret].every((stored) => stored === null || secrets.canOpen(stored)),
      )
      const allotted = slots.allot(due, now)
      if (allotted.size === 0) return
      const receivers = due.filter(({ id }) => allotted.has(id))
      const claimed = await db.transaction((tx) => claimFor(tx, receivers, allotted, now))
      for (const delivery of claimed) start(delivery)
      // Slots that a webhook did not use are free for others.
      mayBeMore = claimed.length > 0 && claimed.length < sum(allotted.values())
    }
  }

  async function claimFor(
    tx: Transaction,
    receivers: readonly EndpointRow[],
    allotted: ReadonlyMap<number, number>,
    now: number,
  ): Promise<ClaimedDelivery[]> {
    const claimed: Omit<ClaimedDelivery, 'message'>[] = []
    for (const endpoint of receivers) {
      const { id } = endpoint
      const room = allotted.get(id) ?? 0
      const options = { room, running: slots.runningFor(id), now, leaseEndsAt: now + leaseMs }
      for (const delivery of await claim(tx, id, options)) claimed.push({ endpoint, delivery })
    }
    const messages = await buildMessages(tx, catalogue, claimed)
    return claimed.map((delivery, index) => ({ ...delivery, message: messages[index] as Message | Unsendable }))
  }

  function start(claimed: ClaimedDelivery): void {
    const { endpoint, delivery } = claimed
    slots.begin(delivery.id, endpoint)
    const done = deliver(claimed)
      .catch(reportError)
      .finally(() => {
        slots.end(delivery.id)
        running.delete(done)
        loop.wake()
      })
    running.add(done)
  }

  async function deliver({ endpoint, delivery, message }: ClaimedDelivery): Promise<void> {
    const at = clock.now()
    const options = { ...urlPolicy, secrets, signal: stopping.signal }
    const attempt = await (tracer
      ? traceAttempt(tracer, delivery, message, (traceparent) =>
          makeAttempt(endpoint, delivery, message, at, { ...options, traceparent }),
        )
      : makeAttempt(endpoint, delivery, message, at, options))
    // Aborted because this node is stopping: the result is unknown, so let another node retry it immediately.
    const isAborted = stopping.signal.aborted && attempt.status === undefined
    if (isAborted) return db.transaction((tx) => release(tx, delivery, clock.now()))
    return writeAttempt({ delivery, url: endpoint.url, attempt, at })
  }

  /** Attempts that end while others are being written are written together. */
  const writeAttempt = createBatcher<FinishedAttempt>(async (finished) => {
    const written = await db.transaction((tx) => recordAttempts(tx, finished, clock.now(), random))
    for (const [index, result] of written.entries()) {
      const { delivery, attempt } = finished[index] as FinishedAttempt
      count(delivery.webhook_id, result)
      const { status, latencyMs, error } = attempt
      const facts = { webhookId: delivery.webhook_id, event: delivery.event_id, result, status, error, ms: latencyMs }
      log.write('debug', 'webhook attempt', facts)
    }
    await onAttempts?.(db)
  })

  function count(webhookId: number, result: AttemptResult): void {
    const own = String(webhookId)
    const label = byWebhook.size < webhooksCountedMax || byWebhook.has(own) ? own : 'other'
    byWebhook.getOrInsertComputed(label, () => ({ delivered: 0, retried: 0, given_up: 0 }))[result]++
  }

  const loop = repeat(check, reportError)
  db.listen(webhooksChanged, loop.wake, loop.wake)
  db.listen(eventsRecorded, () => {
    if (isServing) loop.wake()
  })

  return {
    counts: () => ({ byWebhook, running: slots.count(), waiting, oldestDueMs }),
    async runDue() {
      do {
        await Promise.all(running)
        await loop.run()
      } while (running.size > 0)
    },
    async stop() {
      const ended = loop.stop()
      const timer = setTimeout(() => stopping.abort(new Error('stopping')), stopMsMax)
      await ended
      await Promise.all(running)
      clearTimeout(timer)
    },
  }
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, number) => total + number, 0)

/** Makes an attempt in a span of the trace that caused it. The span's `traceparent` is sent to the receiver. */
const traceAttempt = async (
  tracer: Tracer,
  { webhook_id, event_id }: DeliveryRow,
  message: Message | Unsendable,
  make: (traceparent: string) => Promise<Attempt>,
): Promise<Attempt> => {
  const attributes = { 'petstore.webhook_id': webhook_id, 'petstore.event_id': event_id }
  const parent = ('trace' in message && message.trace) || undefined
  return tracer.run({ name: 'webhook attempt', kind: 'client', parent, attributes }, async (span) => {
    const attempt = await make(span.traceparent)
    const { status } = attempt
    if (status === undefined || status >= 300) span.fail()
    if (status !== undefined) span.set({ 'http.response.status_code': status })
    return attempt
  })
}
