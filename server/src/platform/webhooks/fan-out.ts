import type { Database, Queryable, Transaction } from '../db/database.ts'
import type { EventCatalogue } from '../events/catalogue.ts'
import { readLog } from '../events/log.ts'
import { hadCommitted } from '../events/numbering.ts'
import { beginning, eventIdOf, isBefore, type Position } from '../events/position.ts'
import type { EventRow } from '../events/types.ts'
import { reserve } from './backlog.ts'
import { insertDeliveries, type NewDelivery } from './deliveries.ts'
import { createMatcher, parseScopes } from './matcher.ts'
import { type EndpointRow, findLive, setStart } from './store.ts'

/** About how many deliveries one transaction writes. */
const deliveryBatchSize = 1_000
const eventBatchSize = 250
const lock = 'webhooks: fan out'

/**
 * Creates deliveries for the events after the stored position and advances the position, in one transaction. So each webhook gets each
 * event once, even if a node dies. Returns whether there may be more.
 */
export async function fanOut(db: Database, catalogue: EventCatalogue, now: number): Promise<boolean> {
  // Check without a transaction first: usually there are no new events.
  const [next] = await readLog(db, await findPosition(db), 1)
  if (!next) return false
  return db.transaction(async (tx) => {
    if (!(await tx.tryLock(lock))) return false
    const known = await findFollowing(tx, now)
    if (known.length === 0) return false
    const limit = Math.max(1, Math.min(eventBatchSize, Math.floor(deliveryBatchSize / known.length)))
    const position = laterOf(await findPosition(tx), firstStart(known))
    const events = await readLog(tx, position, limit)
    const last = events.at(-1)
    if (!last) return false
    // Found again: a webhook may have been created, and an event recorded for it, before the events were read.
    const endpoints = await findFollowing(tx, now)
    const deliveries: NewDelivery[] = []
    for (const endpoint of endpoints) {
      const { wanted, granted } = await reserveFor(tx, catalogue, endpoint, events)
      deliveries.push(...granted.map(deliveryTo(endpoint)))
      // Events without room stay in the log: the webhook continues after the last one granted. Those before its start are not for it.
      const reached = granted.at(-1) ?? laterOf(position, startOf(endpoint))
      if (granted.length < wanted.length) await setStart(tx, endpoint.id, reached, 1)
    }
    await insertDeliveries(tx, deliveries, now, 'keep')
    await setPosition(tx, last)
    return events.length === limit
  })
}

/** The webhooks that get events from the shared position. */
const findFollowing = async (tx: Transaction, now: number): Promise<EndpointRow[]> =>
  (await findLive(tx, now)).filter(({ held_back }) => held_back === 0)

/** Continues each webhook that fell behind, from its own position in the log, as far as there is room. */
export async function catchUp(db: Database, catalogue: EventCatalogue, now: number): Promise<void> {
  const delayed = (await findLive(db, now)).filter(({ held_back }) => held_back === 1)
  for (const { id } of delayed) while (await catchUpOne(db, catalogue, id, now));
}

/** Returns whether there may be more events, and room for them. */
const catchUpOne = (db: Database, catalogue: EventCatalogue, id: number, now: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await tx.tryLock(lock))) return false
    const endpoint = (await findLive(tx, now)).find((live) => live.id === id && live.held_back === 1)
    if (!endpoint) return false
    const events = await readLog(tx, startOf(endpoint), eventBatchSize)
    const { wanted, granted } = await reserveFor(tx, catalogue, endpoint, events)
    await insertDeliveries(tx, granted.map(deliveryTo(endpoint)), now, 'keep')
    const isFull = granted.length < wanted.length
    // The shared position is never past the end of the log, so no event is skipped when the webhook joins the others there.
    const isAtEnd = !isFull && events.length < eventBatchSize
    const last = isFull ? granted.at(-1) : events.at(-1)
    await setStart(tx, id, last ?? startOf(endpoint), isAtEnd ? 0 : 1)
    return !isFull && !isAtEnd
  })

/** The events a webhook should get, and the first of them for which there is room. */
async function reserveFor(
  tx: Transaction,
  catalogue: EventCatalogue,
  endpoint: EndpointRow,
  events: readonly EventRow[],
) {
  const matches = createMatcher(catalogue, endpoint, parseScopes(endpoint))
  const start = startOf(endpoint)
  const isNew = (event: EventRow) => isBefore(start, event) && !hadCommitted(endpoint.start_committed, event)
  const wanted = events.filter((event) => isNew(event) && matches(event))
  const room = wanted.length === 0 ? 0 : await reserve(tx, endpoint.id, wanted.length)
  return { wanted, granted: wanted.slice(0, room) }
}

const deliveryTo =
  ({ id }: EndpointRow) =>
  (event: EventRow): NewDelivery => ({ webhookId: id, eventId: eventIdOf(event), eventType: event.type })

const startOf = ({ start_tx, start_id }: EndpointRow): Position => ({ tx: start_tx, id: start_id })

const laterOf = (one: Position, other: Position): Position => (isBefore(one, other) ? other : one)

/** No webhook wants earlier events, so those recorded while there was no webhook are never read. */
const firstStart = (endpoints: readonly EndpointRow[]): Position =>
  endpoints.map(startOf).reduce((first, start) => (isBefore(start, first) ? start : first))

async function findPosition(db: Queryable): Promise<Position> {
  const [position] = await db.query<Position>('SELECT tx, id FROM webhook_position WHERE one = 1')
  return position ?? beginning
}

async function setPosition(tx: Transaction, position: Position): Promise<void> {
  await tx.query(
    `INSERT INTO webhook_position (one, tx, id) VALUES (1, $1, $2)
     ON CONFLICT (one) DO UPDATE SET tx = excluded.tx, id = excluded.id`,
    [position.tx, position.id],
  )
}
