/** The most requests allowed in a minute and in a day. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number
}
