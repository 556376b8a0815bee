import type { Limits, Used } from './windows.ts'

export interface Decision {
  readonly admitted: boolean
  /** What the windows have admitted, including this call. */
  readonly used: Used
  /** Strikes of the last ten minutes, including this call if it is one; 0 for an admitted call. */
  readonly strikes: number
  /** Whether this call is one. */
  readonly isStrike?: boolean
}

/** Counts requests. Decides and counts in one step; a refused call uses nothing. */
export interface Limiter {
  /** `cost`: how many requests the call counts as. All of them are admitted, or none. */
  admit(subject: string, limits: Limits, now: number, cost?: number): Decision | Promise<Decision>
  used(subject: string, now: number): Used | Promise<Used>
  /** What this node last saw of the windows, without a query; undefined if it never did. */
  known(subject: string, now: number): Used | undefined
  /** What the windows will have admitted, as far as this node knows, if every undecided call is admitted. */
  expected(subject: string, now: number): Used | undefined
  forgetStrikes(subject: string): void | Promise<void>
  /** Called every second: synchronizes this process and the database. */
  flush(): Promise<void>
  /** Called every minute: drops what has ended by `settled`, a time that no leap of the clock affects. */
  forgetIdle(settled: number): Promise<void>
  /** Writes everything to the database; nothing is counted afterwards. */
  close(): Promise<void>
}

export const addressSubject = (address: string): string => `address:${address}`
export const isAddress = (subject: string): boolean => subject.startsWith('address:')

/**
 * A refused call that arrives later than this after its window first refused one is a strike. A call that arrives before may have been on
 * its way already, so the first `gracedMax` of them are none. The routine `petstore_admit` repeats this number.
 */
export const strikeGraceMs = 1_000

/** How many calls a window refuses without a strike. The routine `petstore_admit` repeats this number. */
export const gracedMax = 200

/** Strikes are counted per minute, and those of the last ten minutes matter. The routine `petstore_admit` repeats this in milliseconds. */
export const strikeMinutes = 10
