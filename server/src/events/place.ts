/**
 * Where an event stands in the log. Places only grow: whatever is committed later stands behind all that was shown before. Within a
 * place `tx` tells transactions apart, by the order in which they began to write, and `id` what one of them did.
 */
export interface Place {
  readonly tx: number
  readonly id: number
}

/** Before everything. */
export const beginning: Place = { tx: 0, id: 0 }

export const isBefore = (one: Place, other: Place): boolean =>
  one.tx < other.tx || (one.tx === other.tx && one.id < other.id)

/** A place as clients know it: the id of the event that stands there. */
export const idOf = ({ tx, id }: Place): string => `evt_${tx.toString(36)}_${id.toString(36)}`

/** The place that an id stands for; undefined when it is none of ours. */
export function placeOf(id: string): Place | undefined {
  const [, tx, last] = /^evt_([0-9a-z]{1,11})_([0-9a-z]{1,11})$/.exec(id) ?? []
  if (tx === undefined || last === undefined) return undefined
  const place = { tx: Number.parseInt(tx, 36), id: Number.parseInt(last, 36) }
  const isExact = Number.isSafeInteger(place.tx) && Number.isSafeInteger(place.id)
  return isExact && idOf(place) === id ? place : undefined
}
