import type { SchemaSession, Transaction } from './database.ts'

/** SQLite changes its schema in a transaction like any other, and a transaction keeps all other writers out. */
export const schemaIn = (tx: Transaction): SchemaSession => ({
  dialect: tx.dialect,
  query: tx.query,
  transaction: (work) => work(),
  async buildIndex(name, on) {
    // What is sorted for it may be more than memory holds.
    await tx.query('PRAGMA temp_store = FILE')
    await tx.query(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`)
    await tx.query('PRAGMA temp_store = MEMORY')
  },
  dropIndex: async (name) => void (await tx.query(`DROP INDEX IF EXISTS ${name}`)),
})
