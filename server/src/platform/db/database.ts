// The interface of both database engines. Where they differ, the difference has a name here.

import type { Awaitable } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import type { Clause } from './clauses.ts'
import type { Engine } from './migration.ts'
import type { Value } from './value.ts'

export type { Value }

/** A write violated a constraint of the schema. */
export class ConstraintViolation extends Error {
  constructor(
    readonly kind: 'foreign key' | 'check' | 'unique',
    cause: unknown,
  ) {
    super(`${kind} constraint violated`, { cause })
  }
}

/** The database cannot be reached or cannot write now. Retrying later may work. */
export class DatabaseUnavailable extends Error {
  constructor(
    cause: unknown,
    /** `unknown`: the connection was lost during the commit, so the changes may or may not be stored. */
    readonly effect: 'none' | 'unknown' = 'none',
  ) {
    // If the cause is another such error, its cause: its own message would only repeat this one.
    super('the database is unavailable', { cause: cause instanceof DatabaseUnavailable ? cause.cause : cause })
  }
}

/** Whether the database works: `ok`, or why it does not. */
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
   * Runs one statement. Parameters are `$1`, `$2`, …; integers are returned as numbers. Never throws: a failure is a rejected
   * promise.
   */
  query<R>(sql: string, params?: readonly Value[]): Awaitable<R[]>
}

/** Inserts rows into a table, always with the same columns. Define it as a constant: its SQL is built once. */
export interface Insert<Row> {
  readonly table: string
  readonly columns: readonly (keyof Row & string)[]
  /** Columns that the database computes: SQL by column. */
  readonly computed?: (db: Queryable) => Readonly<Record<string, string>>
  /** A row with the same values in these columns is replaced. */
  readonly replaces?: readonly (keyof Row & string)[]
}

/** A count that transactions add to, in the row whose `key` is the id. Define it as a constant. */
export interface Count {
  readonly table: string
  readonly key: string
  readonly column: string
}

/** A kind of row that transactions lock before they change it. Define it as a constant. */
export interface RowLock<Row> {
  readonly table: string
  /** Ends with `WHERE id`. */
  readonly select: string
  readonly toRow: (found: never) => Row
}

/** What a transaction does first: it locks a row, and may reserve an id. Transactions that declare this can be run as one. */
export interface FirstStep {
  readonly lock: RowLock<unknown>
  readonly id: Id
  readonly newIdIn?: string
}

export interface Transaction extends Queryable {
  /** The `traceparent` of its span, if traces are recorded. */
  readonly trace?: string
  /**
   * Sends a statement without waiting for its result. Sent writes to different tables may be merged into one statement, so none may read
   * what the previous one wrote. It never throws: if it fails, no later statement of the transaction runs, the next query rejects with
   * its reason, and the transaction is rolled back. Use `query` for a statement whose failure is expected.
   */
  send(sql: string, params?: readonly Value[]): void
  /** Sends an insert. Rows of several calls may be joined into one statement. */
  insert<Row extends object>(insert: Insert<Row>, rows: readonly Row[]): void
  /** Sends an addition to a count. Those of several calls may be joined. */
  add(count: Count, id: number, by: number): void
  /** Locks a row until the end of this transaction, and reads it; undefined if there is none. */
  lock<Row extends { readonly id: number }>(lock: RowLock<Row>, id: Id): Awaitable<Row | undefined>
  /** Call this after each change to such a row: others that share this transaction read it from here. */
  keep<Row extends { readonly id: number }>(lock: RowLock<Row>, row: Row): void
  /** Reserves an id for a row that this transaction is about to insert. */
  nextId(table: string): Awaitable<number>
  /** Runs `work` in a savepoint: its failure undoes only its own statements. */
  savepoint<T>(work: () => Awaitable<T>): Promise<T>
  /** Takes a lock until the end of this transaction. Returns false immediately if another transaction has it. */
  tryLock(name: string): Promise<boolean>
  /** Notifies the listeners of every node, once, if this transaction commits. */
  notify(channel: string, payload: string): void
  /** Notifies only the listeners of this node, if this transaction commits. Costs no statement. */
  notifyLocally(channel: string, payload: string): void
}

/** A session that changes the schema. */
export interface SchemaSession extends Queryable {
  /** Runs `work`, which uses this session, in one transaction. */
  transaction(work: () => Promise<void>): Promise<void>
  /** Builds an index without blocking reads or writes of its table. Does nothing if it exists. */
  buildIndex(name: string, on: string): Promise<void>
  /** Drops an index, if it exists, without blocking reads or writes of its table. */
  dropIndex(name: string): Promise<void>
}

/** Reports progress to the operator: what is being done, or waited for. */
export type ReportProgress = (level: 'info' | 'warn', message: string, fields?: Record<string, unknown>) => void

/** SQLite's write-ahead log, a separate file. */
export interface WriteAheadLog {
  /** Its size. */
  bytes(): number
  /** Truncates it if it is too large and has no reader. */
  shorten(): void
}

/** Declared with `await using`, it is closed at the end of the block. */
export interface Database extends Queryable, AsyncDisposable {
  /** Reads the row with this id. `select` selects `id`, and ends with `WHERE id`. Concurrent calls may share a statement. */
  find<R>(select: string, id: Id): Awaitable<R | undefined>
  /**
   * Runs `work` in one transaction; resolves after the commit is durable. `work` awaits nothing but the database, and may be retried
   * from the start after a rollback. A transaction that is rejected or misses its deadline is rolled back and never done later. It
   * commits only after `allowed` resolves, and is rolled back if that rejects; the engine decides whether it starts earlier. If it names
   * its `first` step, it may share a transaction with others.
   */
  transaction<T>(work: (tx: Transaction) => Awaitable<T>, allowed?: Promise<void>, first?: FirstStep): Promise<T>
  /** Runs `work` while no other process changes the schema. If it would have to wait for a lock, it is retried later. */
  changeSchema<T>(work: (schema: SchemaSession) => Promise<T>, report: ReportProgress): Promise<T>
  /** Runs `work` in one transaction while no other process does the same: for the first start, and to fill a database. */
  exclusively<T>(work: (tx: Transaction) => Awaitable<T>): Promise<T>
  /** A transaction that goes ahead of all waiting ones: for counters that every request needs. */
  urgently<T>(work: (tx: Transaction) => Awaitable<T>): Promise<T>
  /** For reads of keys and limits: never waits behind other work. */
  readonly aside: Queryable
  /** Whether one more read or transaction would be served in time; if not, reject it immediately. */
  hasRoomFor(kind: 'read' | 'write'): boolean
  /** How many reads and transactions wait for the database. */
  waiting(): number
  /** The connections by their purpose. Empty for an engine without a pool. */
  pools(): readonly PoolState[]
  /** Calls `onNotice` for each `notify` on any node, and `onGap` when some may have been lost. */
  listen(channel: string, onNotice: (payload: string) => void, onGap?: () => void): void
  /** Whether the database works. Returns quickly, never waits behind other work, never fails, and may be called often. */
  condition(): Promise<Condition>
  /** Undefined if the engine limits its log itself. */
  readonly log?: WriteAheadLog
  close(): Promise<void>
}

/** The connections for one purpose: how many are open, in use and allowed, and how much work waits for one. */
export interface PoolState {
  readonly name: 'work' | 'reads' | 'lookups' | 'checks' | 'counters'
  readonly open: number
  readonly used: number
  readonly max: number
  readonly waiting: number
}

/** The differences between the engines' SQL. */
export interface Dialect {
  /** Selects the statements of a migration. */
  readonly engine: Engine
  /** Selects the database's time as `now`, in milliseconds. */
  readonly clock: string
  /** The earlier of a time and the database's time, if that is a different clock: nothing is deleted until both agree. */
  noLaterThanNow(time: string): string
  /** Returns a row if there is a table named `$1`. */
  readonly hasTable: string
  /** Selects `name` and `value` of the server's settings; undefined without a server. */
  readonly settings: string | undefined
  /** Whether pages use index bounds instead of equalities (see `pages/ranges.ts`). */
  readonly readsByBounds: boolean
  /** Ends a SELECT whose rows the transaction is about to change. Empty if the engine runs one write at a time. */
  readonly forUpdate: string
  /**
   * A statement that waits for all rows whose id matches before the transaction gets its number, and locks them: events are in the order
   * of these numbers. Undefined if the engine runs one write at a time.
   */
  lockRows(table: string, idCondition: string): string | undefined
  /** The same for those rows that no other transaction has locked. */
  lockFreeRows(table: string, idCondition: string): string | undefined
  /** The same for rows that nodes divide among themselves: skips rows that another node has locked. */
  readonly forUpdateSkippingLocked: string
  /**
   * A DELETE of the rows that `which` (a WHERE, ORDER BY or LIMIT) selects; the key has these columns. PostgreSQL must not choose a join:
   * if its statistics are from when a log was empty, it would compare each row of a batch with every other.
   */
  deleteRows(table: string, key: string, which: string): string
  /** A statement that waits for changes to a table in progress, and blocks new ones. Undefined if the engine runs one write at a time. */
  lockTable(table: string): string | undefined
  /**
   * A condition: the first text contains the second. Its cost grows with the sum of both lengths; that of LIKE grows with their
   * product.
   */
  holds(text: string, part: string): string
  /**
   * For a table with a search index. Selects as `part` those of these three-character parts that few rows have in `name_folded`, rarest
   * first. Reads a bounded number of index entries or rows.
   */
  rareParts(table: string, parts: readonly string[]): Clause
  /**
   * Selects as `found` the ids of rows whose `name_folded` contains all of these parts, from an index, at least as many as a search
   * reads. Only for rare parts.
   */
  holdingAll(table: string, parts: readonly string[]): Clause
  /** Selects the integers of a JSON array. */
  integersIn(json: string): string
  /** Statements at the start of a transaction that make all of its reads see one snapshot. */
  readonly snapshot: readonly string[]
  /** The number of the current transaction. Numbers grow in the order in which transactions start to write, not commit. */
  transactionNumber(table: string): string
  /** The number of the oldest transaction that may still commit: everything below it is visible. Undefined: everything is. */
  readonly oldestUnderWay: string | undefined
  /**
   * Which transactions have committed by now, as text: the oldest that is under way, the next to start, and those under way between
   * them, such as `10:20:10,14`. Undefined: all with a lower number than the current one.
   */
  readonly committed: string | undefined
  /** A number that grows whenever the database continues from an earlier state. Undefined: the engine cannot tell. */
  readonly timeline: string | undefined
  /** Selects as `highest` the highest id that a table has ever assigned: null or no row if none. */
  highestId(table: string): string
  /** Statements after which a table assigns ids above `highest`. */
  continueIds(table: string, highest: number): string[]
}
