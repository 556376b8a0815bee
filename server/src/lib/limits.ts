/** The most requests allowed in a minute and in a day. */
export interface Limits {
  readonly perMinute: number
  readonly perDay: number
}

/** The subject under which a key's requests are counted. */
export const keySubject = (keyId: number): string => `key:${keyId}`
