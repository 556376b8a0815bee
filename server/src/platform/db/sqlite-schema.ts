import type { SchemaSession, Transaction } from './database.ts'

/** SQLite changes its schema in an ordinary transaction, which excludes all other writers. */
export const createSchemaSession = (tx: Transaction): SchemaSession => ({
  dialect: tx.dialect,
  query: tx.query,
  transaction: (work) => work(),
  async buildIndex(name, on) {
    // Building an index may sort more than fits into memory.
    await tx.query('PRAGMA temp_store = FILE')
    await tx.query(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`)
    await tx.query('PRAGMA temp_store = MEMORY')
  },
  dropIndex: async (name) => void (await tx.query(`DROP INDEX IF EXISTS ${name}`)),
})
