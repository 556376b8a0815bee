export type Engine = 'sqlite' | 'postgres'

/** One step of the schema's history. Plain data: nothing that may change later has a say in it. */
export interface Migration {
  readonly name: string
  /**
   * Indexes of tables that are in use, each with its table and columns. They are built and dropped before the statements run and
   * beside the traffic, one by one: what was done before a crash is found done when the migration is begun again.
   */
  readonly buildIndexes?: Readonly<Record<string, string>>
  readonly dropIndexes?: readonly string[]
  /** Run in one transaction, together with the note that the migration has been done. */
  readonly statements?: Readonly<Record<Engine, readonly string[]>>
  /**
   * The oldest program that can work on the schema from here on, as the number of migrations it knows. Older ones refuse to start.
   * Where the release before knows fewer, its nodes must not go on writing while this migration is rolled out: see 0016-writers.ts.
   */
  readonly oldestProgram?: number
}
