import { createHash } from 'node:crypto'
import type { Queryable } from '../server/src/platform/db/database.ts'
import type { Engine } from '../server/src/platform/db/migration.ts'
import { petShop } from '../server/src/shop/index.ts'

// The schema from the engine's catalogues, in a form that is the same on every supported version of the engine.

const own = `n.nspname = current_schema()`
/** Objects of extensions are left out. */
const notOfExtension = (oid: string) =>
  `NOT EXISTS (SELECT 1 FROM pg_depend d WHERE d.objid = ${oid} AND d.deptype = 'e')`

const listings: Record<Engine, readonly string[]> = {
  sqlite: [
    // The tables behind a full-text index are internal.
    `SELECT sql || ';' AS line FROM sqlite_master
     WHERE sql IS NOT NULL AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow') ORDER BY tbl_name, type DESC, name`,
  ],
  postgres: [
    `SELECT 'extension ' || extname AS line FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname`,
    `SELECT concat_ws(' ', 'table', c.relname, 'kind', c.relkind, 'persistence', c.relpersistence, array_to_string(c.reloptions, ', ')) AS line
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${own} AND c.relkind IN ('r', 'p', 'v', 'm') AND ${notOfExtension('c.oid')} ORDER BY c.relname`,
    `SELECT concat_ws(' ', 'column', c.relname || '.' || a.attname, format_type(a.atttypid, a.atttypmod),
       CASE WHEN a.attcollation <> t.typcollation THEN 'collate ' || l.collname END, CASE WHEN a.attnotnull THEN 'not null' END,
       'default ' || pg_get_expr(d.adbin, d.adrelid), CASE WHEN a.attidentity <> '' THEN 'identity ' || a.attidentity::text END) AS line
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_collation l ON l.oid = a.attcollation
     LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE ${own} AND c.relkind IN ('r', 'p', 'v', 'm') AND a.attnum > 0 AND NOT a.attisdropped AND ${notOfExtension('c.oid')}
     ORDER BY c.relname, a.attnum`,
    // PostgreSQL 18 also lists NOT NULL as constraints; the columns already show it.
    `SELECT concat_ws(' ', 'constraint', c.relname || '.' || k.conname, pg_get_constraintdef(k.oid)) AS line
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${own} AND k.contype <> 'n' ORDER BY c.relname, k.conname`,
    `SELECT concat_ws(' ', 'index', pg_get_indexdef(i.indexrelid), CASE WHEN NOT i.indisvalid THEN 'INVALID' END) AS line
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${own} ORDER BY t.relname, c.relname`,
    `SELECT 'trigger ' || pg_get_triggerdef(g.oid) AS line
     FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${own} AND NOT g.tgisinternal ORDER BY c.relname, g.tgname`,
    `SELECT 'function ' || pg_get_functiondef(p.oid) AS line FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE ${own} AND ${notOfExtension('p.oid')} ORDER BY p.proname, p.oid`,
  ],
}

export async function dumpSchema(db: Queryable): Promise<string> {
  const parts = await Promise.all(listings[db.dialect.engine].map((sql) => db.query<{ line: string }>(sql)))
  return parts
    .filter((rows) => rows.length > 0)
    .map((rows) => rows.map(({ line }) => `${line.trimEnd()}\n`).join(''))
    .join('\n')
}

const beside = (name: string) => new URL(`../server/test/platform/db/${name}`, import.meta.url).pathname

/** The path of the committed dump of an engine's schema. */
export const dumpFile = (engine: Engine): string => beside(`schema.${engine}.txt`)

/** The path of the fingerprints of released migrations. */
export const fingerprintsFile = beside('migrations.json')

/** The fingerprint of everything a migration does, by its number and name. */
export const fingerprints = (): Record<string, string> =>
  Object.fromEntries(
    petShop.migrations.map((migration, index) => [
      `${index + 1} ${migration.name}`,
      createHash('sha256').update(JSON.stringify(migration)).digest('hex').slice(0, 16),
    ]),
  )
