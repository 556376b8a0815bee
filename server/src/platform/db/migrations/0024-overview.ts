import { bothEngines } from './words.ts'

const sums = ['allowed', 'limited', 'errors'].map((column) => `CAST(sum(${column}) AS bigint)`).join(', ')

/**
 * What an overview of the shop and its API needs: what was there when each hour began, the requests of all keys together (in the rows of
 * key 0, which no key has), and the keys and webhooks that need attention.
 */
export const overview = {
  ...bothEngines('overview', ({ integer, tableOptions }) => [
    `CREATE TABLE shop_hours (
       starts_at ${integer} PRIMARY KEY,
       open_orders ${integer} NOT NULL,
       available ${integer} NOT NULL,
       low_stock ${integer} NOT NULL
     ) ${tableOptions}`,
    ...['usage_hours', 'usage_days'].map(
      (table) => `INSERT INTO ${table} (key_id, starts_at, allowed, limited, errors)
        SELECT 0, starts_at, ${sums} FROM ${table} GROUP BY starts_at`,
    ),
  ]),
  buildIndexes: {
    bans_ending: 'bans (until_at) WHERE lifted_at IS NULL',
    webhooks_failing: 'webhooks (key_id, id) WHERE failing_since IS NOT NULL',
  },
}
