// What the rest of the service knows of a database. Where engines differ, the difference is a named capability here.

import type { Awaitable } from '../lib/awaitable.ts'
import type { Clause } from './clauses.ts'
import type { Engine } from './migration.ts'
import type { Value } from './value.ts'

export type { Value }

/** A write broke a rule of the schema. */
export class ConstraintViolation extends Error {
  constructor(
    readonly kind: 'foreign key' | 'check' | 'unique',
    cause: unknown,
  ) {
    super(`${kind} constraint violated`, { cause })
  }
}

/** The database cannot be reached or cannot write now; trying again later may work. */
export class DatabaseUnavailable extends Error {
  constructor(
    cause: unknown,
    /** `unknown`: it went away while it was committing, and nobody knows whether it did. */
    readonly outcome: 'not done' | 'unknown' = 'not done',
  ) {
    super('the database is unavailable', { cause })
  }
}

/** What a database is like now: `ok`, or in a word why it cannot do its work. */
export type Condition =
  | 'ok'
  | 'unreachable'
  | 'locked'
  | 'disk full'
  | 'read-only'
  | 'I/O error'
  | 'damaged'
  | 'removed'
  | 'replaced'

export interface Queryable {
  readonly dialect: Dialect
  /**
   * Runs one statement. Parameters are `$1`, `$2`, …; integers come back as numbers. Never throws: a failure is a promise that
   * rejects.
   */
  query<R>(sql: string, params?: readonly Value[]): Awaitable<R[]>
}

export interface Transaction extends Queryable {
  /**
   * Sends a statement whose answer nobody needs and does not wait: what is sent together travels together, and
   * writes to different tables may become one statement, so none may read what the one before it wrote. The transaction commits only
   * when it has succeeded; one that may be refused is to be queried.
   */
  send(sql: string, params?: readonly Value[]): void
  /** An id for a row that this transaction is about to insert into the table; nobody else is given it. */
  nextId(table: string): Awaitable<number>
  /** Runs `work` so that its failure undoes only its own statements. */
  savepoint<T>(work: () => Awaitable<T>): Promise<T>
  /** Takes a lock that ends with this transaction, or says at once that another transaction has it. */
  tryLock(name: string): Promise<boolean>
  /** Tells every node's listeners, once and only if this transaction commits. */
  notify(channel: string, payload: string): void
  /** Tells the listeners of this node alone, if this transaction commits. Costs the database nothing. */
  tellHere(channel: string, payload: string): void
}

/** The schema while it is being changed. */
export interface SchemaSession extends Queryable {
  /** Runs `work`, which uses this session, in one transaction. */
  transaction(work: () => Promise<void>): Promise<void>
  /** Builds an index while its table goes on being read and written. One that is there stays as it is. */
  buildIndex(name: string, on: string): Promise<void>
  /** Drops an index while its table goes on being read and written, if it is there. */
  dropIndex(name: string): Promise<void>
}

/** Takes a line for whoever watches: what is being done, or waited for. */
export type Tell = (level: 'info' | 'warn', message: string, fields?: Record<string, unknown>) => void

/** Where changes are written first, in a file of its own. */
export interface WriteAheadLog {
  /** How long it is. */
  bytes(): number
  /** Truncates it when it has become too long and has no reader. */
  shorten(): void
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction; resolves after the commit is durable. `work` awaits nothing but the database, and may be run
   * again from its beginning when what it did was undone. One that is refused, or not done by its deadline, is withdrawn, and never
   * done later. It commits only after `allowed`, and is undone when that rejects; whether it begins before is up to the engine.
   */
  transaction<T>(work: (tx: Transaction) => Awaitable<T>, allowed?: Promise<void>): Promise<T>
  /** Runs `work` while no other process changes the schema. Where it would have to wait for a lock it is begun again later. */
  changeSchema<T>(work: (schema: SchemaSession) => Promise<T>, tell: Tell): Promise<T>
  /** Runs `work` in one transaction while no other process does the same: for the first start, and for filling a database. */
  exclusively<T>(work: (tx: Transaction) => Awaitable<T>): Promise<T>
  /** A transaction ahead of all that wait: for counters that every request waits for. */
  urgently<T>(work: (tx: Transaction) => Awaitable<T>): Promise<T>
  /** For reading who calls and what is left: waits behind nobody's work. */
  readonly aside: Queryable
  /** Whether one more read or transaction would be served in time; when not, it is better refused at once. */
  hasRoomFor(kind: 'read' | 'write'): boolean
  /** How many wait for the database. */
  waiting(): number
  /** Hears what `notify` says on any node. `missed` is called when some of it may have been lost. */
  listen(channel: string, heard: (payload: string) => void, missed?: () => void): void
  /** Whether it can do its work. Answers soon, waits behind nobody's work, never fails, and may be asked often. */
  condition(): Promise<Condition>
  /** Undefined where the engine keeps its log short by itself. */
  readonly log?: WriteAheadLog
  close(): Promise<void>
}

/** Tables whose names are searched. */
export type SearchedTable = 'pets' | 'categories'

/** The words in which the engines' SQL differs. */
export interface Dialect {
  /** Whose statements of a migration are to be run. */
  readonly engine: Engine
  /** Selects as `now` what time it is where the database runs, in milliseconds. */
  readonly clock: string
  /** The earlier of a time and the database's own, where that is another clock: nothing is deleted before both agree. */
  noLaterThanNow(time: string): string
  /** Finds a row when there is a table named `$1`. */
  readonly hasTable: string
  /** Selects `name` and `value` of the server's settings, where there is a server that has any. */
  readonly settings: string | undefined
  /** Whether a page is found by bounds in the order of an index rather than by what is equal. */
  readonly readsByBounds: boolean
  /** Ends a SELECT whose rows the transaction is about to change. Empty where one writes after the other. */
  readonly forUpdate: string
  /** The same for rows that several nodes share out among themselves: those that another has are passed over. */
  readonly forUpdateSkippingLocked: string
  /**
   * A condition: the first text holds the second. Costs about the length of both, whatever their letters are, where LIKE costs one times
   * the other.
   */
  holds(text: string, part: string): string
  /**
   * Of these parts of three characters, selects as `part` the rarest that few rows hold in `name_folded`, rarest first. Looks at a bounded
   * number of index entries or rows.
   */
  rareParts(table: SearchedTable, parts: readonly string[]): Clause
  /**
   * Selects as `found` the ids of rows whose `name_folded` holds all of these parts, from an index, at least as many as a search looks
   * at. To be asked for rare parts only.
   */
  holdingAll(table: SearchedTable, parts: readonly string[]): Clause
  /** Statements that begin a transaction which sees one state of the data from its first read to its last. */
  readonly snapshot: readonly string[]
  /** A number for the transaction that runs, which grows with each that begins to write to a table, not with each that commits. */
  transactionNumber(table: string): string
  /** The number of the oldest transaction that may still commit: of those below it everything is seen. Undefined: of all. */
  readonly oldestUnderWay: string | undefined
  /** A number that grows whenever the database goes on from a state that it had earlier. Undefined: it cannot tell. */
  readonly timeline: string | undefined
  /** Selects the highest id a table has ever assigned as `highest`: null or no row when it has assigned none. */
  highestId(table: string): string
  /** Statements after which a table assigns ids above `highest`. */
  continueIds(table: string, highest: number): string[]
}
