import { ConstraintViolation } from './database.ts'

/** What a database reports about its work. Called for every statement, so it must be quick. */
export interface DatabaseObserver {
  /** A statement has ended. */
  ran(sql: string, ms: number): void
  /** A statement has failed, with SQLite's code or PostgreSQL's SQLSTATE; '' if the server did not respond. */
  failed(code: string): void
  /** A transaction is run again: it conflicted with another, or one of the writes that share it failed. */
  retried(): void
  /** Work was rejected because it would have waited too long. */
  shed(): void
  /** A group commit with this many writes. */
  committed(writes: number): void
}

const ignore = () => undefined
export const unobserved: DatabaseObserver = {
  ran: ignore,
  failed: ignore,
  retried: ignore,
  shed: ignore,
  committed: ignore,
}

/** PostgreSQL's code for statements after the one that failed. */
const inFailedTransaction = '25P02'

/** Reports a failed statement, unless it violated a constraint: the service relies on constraints to decide. */
export function reportFailure(observer: DatabaseObserver, reason: unknown, code: string): void {
  if (!(reason instanceof ConstraintViolation) && code !== inFailedTransaction) observer.failed(code)
}
