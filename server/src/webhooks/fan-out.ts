import type { Database, Queryable, Transaction } from '../db/database.ts'
import type { EventRow } from '../db/tables.ts'
import { readLog } from '../events/log.ts'
import { beginning, idOf, isBefore, type Place } from '../events/place.ts'
import { insertDeliveries } from './deliveries.ts'
import { type EndpointRow, findLive } from './store.ts'
import { scopesOf, wantsOf } from './wants.ts'

/** About so many deliveries are written in one transaction. */
const deliveriesAtOnce = 1_000
const eventsAtOnce = 250

/**
 * Makes deliveries of the events that follow the stored place, and moves that place, in one transaction: each event comes to each
 * webhook once, whichever node does it and whenever it dies. Says whether there may be more.
 */
export async function fanOut(db: Database, now: number): Promise<boolean> {
  // First without a transaction: mostly nothing has happened.
  const [next] = await readLog(db, await findPosition(db), 1)
  if (!next) return false
  return db.transaction(async (tx) => {
    if (!(await tx.tryLock('webhooks: fan out'))) return false
    const endpoints = await findLive(tx, now)
    if (endpoints.length === 0) return false
    const limit = Math.max(1, Math.min(eventsAtOnce, Math.floor(deliveriesAtOnce / endpoints.length)))
    const events = await readLog(tx, later(await findPosition(tx), firstStart(endpoints)), limit)
    const last = events.at(-1)
    if (!last) return false
    await insertDeliveries(tx, deliveriesOf(events, endpoints), now, 'stays')
    await setPosition(tx, last)
    return events.length === limit
  })
}

function deliveriesOf(events: readonly EventRow[], endpoints: readonly EndpointRow[]) {
  const receivers = endpoints.map((endpoint) => ({
    endpoint,
    wants: wantsOf(endpoint, scopesOf(endpoint)),
    start: startOf(endpoint),
  }))
  return events.flatMap((event) =>
    receivers
      .filter(({ wants, start }) => isBefore(start, event) && wants(event))
      .map(({ endpoint }) => ({ webhookId: endpoint.id, eventId: idOf(event), eventType: event.type })),
  )
}

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
