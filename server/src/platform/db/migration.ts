export type Engine = 'sqlite' | 'postgres'

/** One step of the schema's history. Plain data, independent of code that may change later. */
export interface Migration {
  readonly name: string
  /**
   * Indexes of tables that are in use, each with its table and columns. They are built and dropped one by one before the statements
   * run, without blocking traffic. A retry after a crash skips what is done.
   */
  readonly buildIndexes?: Readonly<Record<string, string>>
  readonly dropIndexes?: readonly string[]
  /** Run in one transaction that also records the migration. */
  readonly statements?: Readonly<Record<Engine, readonly string[]>>
  /**
   * The oldest program that can use the schema from here on, as the number of migrations it knows. Older ones do not start. If the
   * previous release knows fewer, this migration also rejects the writes of its running nodes, and comes last: see CONTRIBUTING.md.
   */
  readonly oldestProgram?: number
}
