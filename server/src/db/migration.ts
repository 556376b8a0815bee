export type Engine = 'sqlite' | 'postgres'

/** One step of the schema's history. Plain data: nothing that may change later has a say in it. */
export interface Migration {
  readonly name: string
  /** Run in one transaction, together with the note that the migration has been done. */
  readonly statements: Readonly<Record<Engine, readonly string[]>>
}
