import type { Database, Queryable, Transaction } from '../db/database.ts'
import type { EventRow } from '../db/tables.ts'
import { readLog } from '../events/log.ts'
import { beginning, idOf, isBefore, type Place } from '../events/place.ts'
import { reserve } from './backlog.ts'
import { insertDeliveries, type NewDelivery } from './deliveries.ts'
import { type EndpointRow, findLive, setStart } from './store.ts'
import { scopesOf, wantsOf } from './wants.ts'

/** About so many deliveries are written in one transaction. */
const deliveriesAtOnce = 1_000
const eventsAtOnce = 250
const lock = 'webhooks: fan out'

/**
 * Makes deliveries of the events that follow the stored place, and moves that place, in one transaction: each event comes to each
 * webhook once, whichever node does it and whenever it dies. Says whether there may be more.
 */
export async function fanOut(db: Database, now: number): Promise<boolean> {
  // First without a transaction: mostly nothing has happened.
  const [next] = await readLog(db, await findPosition(db), 1)
  if (!next) return false
  return db.transaction(async (tx) => {
    if (!(await tx.tryLock(lock))) return false
    const endpoints = (await findLive(tx, now)).filter(({ held_back }) => held_back === 0)
    if (endpoints.length === 0) return false
    const limit = Math.max(1, Math.min(eventsAtOnce, Math.floor(deliveriesAtOnce / endpoints.length)))
    const position = later(await findPosition(tx), firstStart(endpoints))
    const events = await readLog(tx, position, limit)
    const last = events.at(-1)
    if (!last) return false
    const deliveries: NewDelivery[] = []
    for (const endpoint of endpoints) {
      const { asked, granted } = await reserveFor(tx, endpoint, events)
      deliveries.push(...granted.map(deliveryTo(endpoint)))
      // What has no room stays in the log, behind the last that had.
      if (granted.length < asked.length) await setStart(tx, endpoint.id, granted.at(-1) ?? position, 1)
    }
    await insertDeliveries(tx, deliveries, now, 'stays')
    await setPosition(tx, last)
    return events.length === limit
  })
}

/** Goes on with each webhook that was held back, from its own place in the log, as far as there is room by now. */
export async function catchUp(db: Database, now: number): Promise<void> {
  const held = (await findLive(db, now)).filter(({ held_back }) => held_back === 1)
  for (const { id } of held) while (await catchUpOne(db, id, now));
}

/** Says whether there may be more, and room for it. */
const catchUpOne = (db: Database, id: number, now: number): Promise<boolean> =>
  db.transaction(async (tx) => {
    if (!(await tx.tryLock(lock))) return false
    const endpoint = (await findLive(tx, now)).find((live) => live.id === id && live.held_back === 1)
    if (!endpoint) return false
    const events = await readLog(tx, startOf(endpoint), eventsAtOnce)
    const { asked, granted } = await reserveFor(tx, endpoint, events)
    await insertDeliveries(tx, granted.map(deliveryTo(endpoint)), now, 'stays')
    const isFull = granted.length < asked.length
    // The stored place of all others is not behind the end of the log, so nothing is left out between the two.
    const isAtEnd = !isFull && events.length < eventsAtOnce
    const last = isFull ? granted.at(-1) : events.at(-1)
    await setStart(tx, id, last ?? startOf(endpoint), isAtEnd ? 0 : 1)
    return !isFull && !isAtEnd
  })

/** The events that a webhook is to get, and the first of them for which there is room. */
async function reserveFor(tx: Transaction, endpoint: EndpointRow, events: readonly EventRow[]) {
  const wants = wantsOf(endpoint, scopesOf(endpoint))
  const start = startOf(endpoint)
  const asked = events.filter((event) => isBefore(start, event) && wants(event))
  const room = asked.length === 0 ? 0 : await reserve(tx, endpoint.id, asked.length)
  return { asked, granted: asked.slice(0, room) }
}

const deliveryTo =
  ({ id }: EndpointRow) =>
  (event: EventRow): NewDelivery => ({ webhookId: id, eventId: idOf(event), eventType: event.type })

const startOf = ({ start_tx, start_id }: EndpointRow): Place => ({ tx: start_tx, id: start_id })

const later = (one: Place, other: Place): Place => (isBefore(one, other) ? other : one)

/** Nothing from before it is for anybody: what happened while there was no webhook is never read. */
const firstStart = (endpoints: readonly EndpointRow[]): Place =>
  endpoints.map(startOf).reduce((first, start) => (isBefore(start, first) ? start : first))

async function findPosition(db: Queryable): Promise<Place> {
  const [position] = await db.query<Place>('SELECT tx, id FROM webhook_position WHERE one = 1')
  return position ?? beginning
}

async function setPosition(tx: Transaction, place: Place): Promise<void> {
  await tx.query(
    `INSERT INTO webhook_position (one, tx, id) VALUES (1, $1, $2)
     ON CONFLICT (one) DO UPDATE SET tx = excluded.tx, id = excluded.id`,
    [place.tx, place.id],
  )
}
