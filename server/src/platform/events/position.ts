/**
 * Where an event is in the log. Positions only increase: an event committed later comes after every event a reader has seen. `tx`
 * orders transactions by when they began to write, `id` orders the events of one transaction.
 */
export interface Position {
  readonly tx: number
  readonly id: number
}

/** The log is ordered by the start of transactions, which differs from the order of event times by seconds. */
export const disorderMs = 60_000

/** Before the first event. */
export const beginning: Position = { tx: 0, id: 0 }

/** After every event. */
export const end: Position = { tx: Number.MAX_SAFE_INTEGER, id: 0 }

export const isBefore = (one: Position, other: Position): boolean =>
  one.tx < other.tx || (one.tx === other.tx && one.id < other.id)

/** The event id clients see for a position. */
export const eventIdOf = ({ tx, id }: Position): string => `evt_${tx.toString(36)}_${id.toString(36)}`

/** The position of an event id; undefined if the id was not made by `eventIdOf`. */
export function parseEventId(eventId: string): Position | undefined {
  const [, tx, id] = /^evt_([0-9a-z]{1,11})_([0-9a-z]{1,11})$/.exec(eventId) ?? []
  if (tx === undefined || id === undefined) return undefined
  const position = { tx: Number.parseInt(tx, 36), id: Number.parseInt(id, 36) }
  const isExact = Number.isSafeInteger(position.tx) && Number.isSafeInteger(position.id)
  return isExact && eventIdOf(position) === eventId ? position : undefined
}
