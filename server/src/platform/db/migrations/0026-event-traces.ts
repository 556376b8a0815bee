import { bothEngines } from './words.ts'

/** An event keeps the trace of the request that caused it, so that webhook attempts continue it, on any node and later. */
export const eventTraces = bothEngines('event traces', () => ['ALTER TABLE events ADD COLUMN trace TEXT'])
