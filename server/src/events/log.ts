import { where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { EventRow } from '../db/tables.ts'
import { beginning, idOf, type Place, placeOf } from './place.ts'

/** Added to the numbers of transactions, so that places go on growing in a database that was copied or restored. */
const base = 'coalesce((SELECT base FROM event_log WHERE one = 1), 0)'

/** The `tx` of what is recorded now. */
export const placeNow = ({ dialect }: Queryable): string => `${base} + ${dialect.transactionNumber('events')}`

/** What every reader has to ask for: that no transaction under way can still put something before what it reads. */
export const isFinal = ({ dialect }: Queryable): string =>
  dialect.oldestUnderWay === undefined ? 'TRUE' : `tx < ${base} + ${dialect.oldestUnderWay}`

/** Events behind a place, in order, whoever may see them. Costs the same at the end of a long log as at its beginning. */
export async function readLog(db: Queryable, after: Place, limit: number): Promise<EventRow[]> {
  return db.query(
    `SELECT id, tx, type, key_id, data, previous, at FROM events WHERE (tx, id) > ($1, $2) AND ${isFinal(db)}
     ORDER BY tx, id LIMIT ${limit}`,
    [after.tx, after.id],
  )
}

/** The place of the last event that readers may see; where there is none, that of the last one that was pruned. */
export async function endOfLog(db: Queryable): Promise<Place> {
  const [last] = await db.query<Place>(
    `SELECT tx, id FROM events WHERE ${isFinal(db)} ORDER BY tx DESC, id DESC LIMIT 1`,
  )
  return last ?? prunedUpTo(db)
}

/** The place up to which the log was pruned. */
export async function prunedUpTo(db: Queryable): Promise<Place> {
  const [pruned] = await db.query<Place>('SELECT pruned_tx AS tx, pruned_id AS id FROM event_log WHERE one = 1')
  return pruned ?? beginning
}

/**
 * At the start: a copied or restored database numbers its transactions from lower on than the one that its events come from. From
 * here on its numbers are taken as ones behind them, and behind those that were pruned.
 */
export async function continuePlaces(tx: Transaction): Promise<void> {
  await tx.query(
    `INSERT INTO event_log (one, base, pruned_tx, pruned_id)
     SELECT 1, tx, 0, 0 FROM (
       SELECT max(tx) AS tx FROM (SELECT max(tx) AS tx FROM events UNION ALL SELECT pruned_tx FROM event_log WHERE one = 1) AS ends
     ) AS last WHERE tx > ${placeNow(tx)}
     ON CONFLICT (one) DO UPDATE SET base = excluded.base`,
  )
}

const idsAtOnce = 100

/** Events under their ids, as long as they are kept. */
export async function findEvents(db: Queryable, ids: readonly string[]): Promise<Map<string, EventRow>> {
  const events = new Map<string, EventRow>()
  const numbers = [...new Set(ids.flatMap((id) => placeOf(id)?.id ?? []))]
  for (let from = 0; from < numbers.length; from += idsAtOnce) {
    const { where: ofThese, params } = where([['id IN (?)', numbers.slice(from, from + idsAtOnce)]])
    const found = await db.query<EventRow>(
      `SELECT id, tx, type, key_id, data, previous, at FROM events ${ofThese}`,
      params,
    )
    for (const event of found) events.set(idOf(event), event)
  }
  return events
}
