// What the rest of the service knows of a database. Where engines differ, the difference is a named capability here.

import type { Clause } from './clauses.ts'
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

export interface Queryable {
  readonly dialect: Dialect
  /** Runs one statement. Parameters are `$1`, `$2`, …; integers come back as numbers. */
  query<R>(sql: string, params?: readonly Value[]): Promise<R[]>
}

export interface Transaction extends Queryable {
  /** Runs `work` so that its failure undoes only its own statements. */
  savepoint<T>(work: () => Promise<T>): Promise<T>
  /** Takes a lock that ends with this transaction, or says at once that another transaction has it. */
  tryLock(name: string): Promise<boolean>
  /** Tells every node's listeners, once and only if this transaction commits. */
  notify(channel: string, payload: string): Promise<void>
}

export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction; resolves after the commit is durable. `work` awaits nothing but the database. One that is
   * refused, or not done by its deadline, is withdrawn, and never done later.
   */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** Runs `work` while no other process does the same: for migrations. */
  exclusively<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** For reading who calls and what is left: waits behind nobody's work. */
  readonly aside: Queryable
  /** Whether one more read or transaction would be served in time; when not, it is better refused at once. */
  hasRoomFor(kind: 'read' | 'write'): boolean
  /** How many wait for the database. */
  waiting(): number
  /** Fails unless the database answers within a second, on a way that nothing else uses. */
  check(): Promise<void>
  /** Hears what `notify` says on any node. `missed` is called when some of it may have been lost. */
  listen(channel: string, heard: (payload: string) => void, missed?: () => void): void
  close(): Promise<void>
}

/** The words in which the engines' SQL differs. */
export interface Dialect {
  /** Column type of an id that the database assigns. */
  readonly id: string
  readonly integer: string
  /** Column type of text that sorts by its bytes. */
  readonly text: string
  /** What follows the closing bracket of CREATE TABLE. */
  readonly tableOptions: string
  /** CREATE … of a table of counters, where speed matters more than surviving a crash of the database server. */
  readonly counterTable: string
  readonly counterTableOptions: string
  /** Ends a SELECT whose rows the transaction is about to change. */
  readonly forUpdate: string
  /** Statements that make `column LIKE '%part%'` quick. */
  substringIndex(table: string, column: string): string[]
  /** Statements that let readers of a table on, but nobody who would lock or change its rows. */
  keepWritersOut(table: string): string[]
  /** Statements that make a routine inside the database, where the engine has such a thing. */
  routine(statement: string): string[]
  /** How to find the rows whose `column` holds `part`: a SELECT of their `id` and `fields`, and its condition. */
  containing(table: string, fields: string, column: string, part: string): { select: string; where: Clause }
  /** Statements that begin a transaction which sees one state of the data from its first read to its last. */
  readonly snapshot: readonly string[]
  /** Selects the highest id a table has ever assigned as `highest`: null or no row when it has assigned none. */
  highestId(table: string): string
  /** Statements after which a table assigns ids above `highest`. */
  continueIds(table: string, highest: number): string[]
}
