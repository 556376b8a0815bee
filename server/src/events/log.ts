import { where } from '../db/clauses.ts'
import type { Queryable } from '../db/database.ts'
import type { EventRow } from '../db/tables.ts'
import { isFinal } from './numbering.ts'
import { beginning, idOf, type Place, placeOf } from './place.ts'

const columns = 'id, tx, type, key_id, data, previous, at'

/** Events behind a place, in order, whoever may see them. Costs the same at the end of a long log as at its beginning. */
export async function readLog(db: Queryable, after: Place, limit: number): Promise<EventRow[]> {
  return db.query(behind(db, columns, limit), [after.tx, after.id])
}

/**
 * Selects what is behind the place ($1, $2). By bounds where the engine can; SQLite, comparing both at once, would read the place's
 * transaction from its beginning each time, so there the rest of it and those that follow are asked for one by one.
 */
export function behind(db: Queryable, columns: string, limit: number): string {
  const from = (condition: string) => `SELECT ${columns} FROM events WHERE ${condition} AND ${isFinal(db)}`
  const parts = db.dialect.readsByBounds ? ['(tx, id) > ($1, $2)'] : ['tx = $1 AND id > $2', 'tx > $1']
  return `${parts.map(from).join(' UNION ALL ')} ORDER BY tx, id LIMIT ${limit}`
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

/** The event at a place, as long as it is kept. */
export async function findEvent(db: Queryable, { tx, id }: Place): Promise<EventRow | undefined> {
  const [event] = await db.query<EventRow>(`SELECT ${columns} FROM events WHERE id = $2 AND tx = $1`, [tx, id])
  return event
}

const idsAtOnce = 100

/** Events under their ids, as long as they are kept. */
export async function findEvents(db: Queryable, ids: readonly string[]): Promise<Map<string, EventRow>> {
  const events = new Map<string, EventRow>()
  const numbers = [...new Set(ids.flatMap((id) => placeOf(id)?.id ?? []))]
  for (let from = 0; from < numbers.length; from += idsAtOnce) {
    const { where: ofThese, params } = where([['id IN (?)', numbers.slice(from, from + idsAtOnce)]])
    const found = await db.query<EventRow>(`SELECT ${columns} FROM events ${ofThese}`, params)
    for (const event of found) events.set(idOf(event), event)
  }
  return events
}
