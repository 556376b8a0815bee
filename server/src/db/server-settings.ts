import type { Queryable } from './database.ts'

interface Rule {
  /** The value that a server should have. */
  readonly wanted: string
  readonly harm: string
}

const planner = { wanted: 'on', harm: 'reads and writes whole tables where an index would do' }

/** Settings of PostgreSQL that hurt the service, whatever it sets for its own sessions. */
const rules: Readonly<Record<string, Rule>> = {
  fsync: { wanted: 'on', harm: 'loses or damages data when the machine stops' },
  full_page_writes: { wanted: 'on', harm: 'can damage data when the machine stops' },
  synchronous_commit: { wanted: 'on', harm: 'can lose what was acknowledged' },
  autovacuum: { wanted: 'on', harm: 'lets tables grow and plans go by old statistics' },
  default_transaction_read_only: { wanted: 'off', harm: 'refuses every write' },
  enable_indexscan: planner,
  enable_indexonlyscan: planner,
  enable_nestloop: planner,
  enable_sort: planner,
}

/** Stronger than `on`: it also waits for replicas to apply. */
const alsoWell = new Set(['synchronous_commit remote_apply'])

export interface HarmfulSetting {
  readonly name: string
  readonly value: string
  readonly wanted: string
  readonly harm: string
}

/** Those that the server has for new sessions of this role and database. */
export async function findHarmfulSettings(db: Queryable): Promise<HarmfulSetting[]> {
  if (db.dialect.settings === undefined) return []
  const rows = await db.query<{ name: string; value: string }>(db.dialect.settings)
  return rows.flatMap(({ name, value }) => {
    const rule = rules[name]
    const isWell = !rule || value === rule.wanted || alsoWell.has(`${name} ${value}`)
    return isWell ? [] : [{ name, value, ...rule }]
  })
}
