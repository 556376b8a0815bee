import { eventTypes } from '../events/types.ts'

const groups = [...new Set(eventTypes.map((type) => type.split('.')[0]))]

/** Every way to say which events a webhook gets: all, all of a kind, one type. */
const patterns: ReadonlySet<string> = new Set(['*', ...groups.map((group) => `${group}.*`), ...eventTypes])

export const isPattern = (text: string): boolean => patterns.has(text)

/** Whether one of the patterns means this type. */
export const means = (wanted: readonly string[], type: string): boolean =>
  wanted.some((pattern) => pattern === '*' || pattern === type || pattern === `${type.split('.')[0]}.*`)
