import { bothEngines } from './words.ts'

/**
 * Finds rows by a part of their name. A trigram index can only be read as a bitmap, which sessions that read lists are told not to
 * make; here it is allowed.
 */
const routineFor = (table: string) => `
CREATE FUNCTION petstore_${table}_containing(pattern text, most bigint) RETURNS SETOF bigint LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = on
AS $$ SELECT id FROM ${table} WHERE name_folded LIKE pattern ESCAPE '\\' LIMIT most $$`

export const search = bothEngines('search', ({ routine }) =>
  ['pets', 'categories'].flatMap((table) => routine(routineFor(table))),
)
