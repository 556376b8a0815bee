import { bothEngines } from './words.ts'

/**
 * Finds rows by three parts of their name, of three letters each. A trigram index needs a bitmap scan, which read sessions disable; the
 * routine enables it.
 */
const routineFor = (table: string) => `
CREATE FUNCTION petstore_${table}_holding(one text, two text, three text, most bigint) RETURNS SETOF bigint LANGUAGE sql STABLE
  SET enable_seqscan = off SET enable_bitmapscan = on
AS $$ SELECT id FROM ${table} WHERE name_folded LIKE one AND name_folded LIKE two AND name_folded LIKE three LIMIT most $$`

export const search = bothEngines('search', ({ routine }) =>
  ['pets', 'categories'].flatMap((table) => routine(routineFor(table))),
)
