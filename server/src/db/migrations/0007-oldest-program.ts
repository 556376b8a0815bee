import { bothEngines } from './words.ts'

export const oldestProgram = bothEngines('oldest program', ({ integer }) => [
  // A program that is older than this must not start on the schema; 0 refuses none.
  `ALTER TABLE schema_versions ADD COLUMN oldest_program ${integer} NOT NULL DEFAULT 0`,
])
