/** So many requests in a minute, and so many in a day. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number
}
