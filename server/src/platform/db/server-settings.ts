import type { Queryable } from './database.ts'

interface Rule {
  /** The recommended value. */
  readonly wanted: string
  readonly harm: string
}

const planner = { wanted: 'on', harm: 'scans whole tables instead of using an index' }

/** Server settings that harm the service whatever it sets for its sessions. */
const rules: Readonly<Record<string, Rule>> = {
  fsync: { wanted: 'on', harm: 'loses or corrupts data if the machine crashes' },
  full_page_writes: { wanted: 'on', harm: 'can corrupt data if the machine crashes' },
  synchronous_commit: { wanted: 'on', harm: 'can lose acknowledged writes' },
  autovacuum: { wanted: 'on', harm: 'lets tables grow and statistics become outdated' },
  default_transaction_read_only: { wanted: 'off', harm: 'rejects every write' },
  enable_indexscan: planner,
  enable_indexonlyscan: planner,
  enable_nestloop: planner,
  enable_sort: planner,
}

/** Stronger than `on`: also waits until replicas have applied the change. */
const alsoAccepted = new Set(['synchronous_commit remote_apply'])

export interface HarmfulSetting {
  readonly name: string
  readonly value: string
  readonly wanted: string
  readonly harm: string
}

/** Finds harmful settings for new sessions of this role and database. */
export async function findHarmfulSettings(db: Queryable): Promise<HarmfulSetting[]> {
  if (db.dialect.settings === undefined) return []
  const rows = await db.query<{ name: string; value: string }>(db.dialect.settings)
  return rows.flatMap(({ name, value }) => {
    const rule = rules[name]
    const isAccepted = !rule || value === rule.wanted || alsoAccepted.has(`${name} ${value}`)
    return isAccepted ? [] : [{ name, value, ...rule }]
  })
}
