/** So many requests in a minute, and so many in a day. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number
}

/** What the requests of a key are counted under. */
export const keySubject = (keyId: number): string => `key:${keyId}`
