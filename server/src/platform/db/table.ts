/** What the service has to know about a table beyond its schema. */
export interface Table {
  readonly name: string
  /** The primary key, which orders the batches of a copy. */
  readonly key: readonly string[]
  /** Tables of other features that it refers to. */
  readonly refersTo?: readonly string[]
  /** Not copied to another database: triggers or migrations fill it, or only running nodes need it. */
  readonly isDerived?: true
  /** Rows, other than sums of archived ones, are only added or archived: a later snapshot has at least those of an earlier one. */
  readonly isAppendOnly?: true
  /** Selects as `count` how many rows were moved to an archive. */
  readonly archived?: string
  /** Columns that hold the time of a change, or the start of its hour. */
  readonly times?: Readonly<Record<string, 'time' | 'hour'>>
}

type More = Omit<Table, 'name' | 'key'>

/** A table whose primary key is `id`. */
export const withId = (name: string, more: More = {}): Table => ({ name, key: ['id'], ...more })

export const derived = (name: string, more: More = {}): Table => ({ name, key: [], isDerived: true, ...more })

/** Sorts tables so that each comes after those that it refers to. */
export function sortTables(tables: readonly Table[]): Table[] {
  const sorted: Table[] = []
  let left = tables
  while (left.length > 0) {
    const waits = ({ refersTo = [] }: Table) => left.some(({ name }) => refersTo.includes(name))
    const ready = left.filter((table) => !waits(table))
    if (ready.length === 0) throw new Error(`tables refer to each other: ${left.map(({ name }) => name).join(', ')}`)
    sorted.push(...ready)
    left = left.filter(waits)
  }
  return sorted
}
