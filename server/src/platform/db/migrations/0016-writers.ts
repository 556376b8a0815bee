import type { Migration } from '../migration.ts'

// Programs that know fewer migrations write no events and no order history. They refuse to start on this schema, and the schema refuses
// the writes of those that are still running, so that every acknowledged change is complete. On SQLite one process has the file, so
// there is nothing to refuse.

const oldestProgram = 15

/** Every change of the shop or of a key writes to one of these tables. Placing or cancelling an order changes the inventory. */
const writtenBy: Readonly<Record<string, string>> = {
  categories: 'INSERT OR UPDATE OR DELETE',
  pets: 'INSERT OR UPDATE OR DELETE',
  inventory: 'INSERT OR UPDATE OR DELETE',
  orders: 'UPDATE',
  // The time of the last use is not a change of a key.
  api_keys:
    'INSERT OR DELETE OR UPDATE OF name, prefix, plan, per_minute, per_day, scopes, manages_keys, expires_at, revoked_at',
  bans: 'INSERT OR UPDATE',
}

/** SQLSTATE class 53: programs of all releases take it for a temporary failure, and the client gets a 503. */
const refuse = `
CREATE FUNCTION petstore_refuse_old_program() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'The schema needs a program that knows % migrations, and this session does not say that it is one.', TG_ARGV[0]
    USING ERRCODE = '53000',
      HINT = 'Replace the node by one of the release that changed the schema. To write by hand: SET petstore.program = ' || TG_ARGV[0];
END $$`

// The condition is evaluated without calling the function, so a write costs no more than before.
const isOld = `coalesce(nullif(current_setting('petstore.program', true), ''), '0')::bigint < ${oldestProgram}`

export const writers: Migration = {
  name: 'writers',
  statements: {
    sqlite: [],
    postgres: [
      refuse,
      ...Object.entries(writtenBy).map(
        ([table, statements]) => `CREATE TRIGGER refuse_old_program BEFORE ${statements} ON ${table} FOR EACH STATEMENT
          WHEN (${isOld}) EXECUTE FUNCTION petstore_refuse_old_program(${oldestProgram})`,
      ),
    ],
  },
  oldestProgram,
}
