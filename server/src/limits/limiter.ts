import type { Limits, Used } from './windows.ts'

export interface Admission {
  readonly admitted: boolean
  /** What the windows have admitted, this call included. */
  readonly used: Used
  /** Refusals within the last ten minutes, this one included; 0 for an admitted request. */
  readonly strikes: number
}

/** Counts requests. One call decides and counts in one step; a refused one consumes nothing. */
export interface Limiter {
  /** `cost` is how many requests the call counts as: all of them are admitted, or none, which is one refusal. */
  admit(subject: string, limits: Limits, now: number, cost?: number): Admission | Promise<Admission>
  used(subject: string, now: number): Used | Promise<Used>
  /** The same as this node last saw it, without asking anybody; undefined when it has not. */
  known(subject: string, now: number): Used | undefined
  /** What the windows will have admitted as far as this node knows, if all calls that wait for their decision are admitted. */
  expected(subject: string, now: number): Used | undefined
  forgetStrikes(subject: string): void | Promise<void>
  /** Each second: brings this process and the database to agree. */
  flush(): Promise<void>
  /** Each minute: drops what is over by a time that no leap of the clock has touched. */
  forgetIdle(settled: number): Promise<void>
  /** Leaves everything in the database; nothing is counted after it. */
  close(): Promise<void>
}

export const addressSubject = (address: string): string => `address:${address}`
export const isAddress = (subject: string): boolean => subject.startsWith('address:')

/** Strikes are kept per minute; those of the last ten minutes count. The routine in the database says so too, in milliseconds. */
export const strikeMinutes = 10
