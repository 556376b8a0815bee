import { bothEngines } from './words.ts'

export const oldestProgram = bothEngines('oldest program', ({ integer }) => [
  // A program older than this must not use the schema; 0 allows all.
  `ALTER TABLE schema_versions ADD COLUMN oldest_program ${integer} NOT NULL DEFAULT 0`,
])
