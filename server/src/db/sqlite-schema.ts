import type { SchemaSession, Transaction } from './database.ts'

/** SQLite changes its schema in a transaction like any other, and a transaction keeps all other writers out. */
export const schemaIn = (tx: Transaction): SchemaSession => ({
  dialect: tx.dialect,
  query: tx.query,
  transaction: (work) => work(),
  buildIndex: async (name, on) => void (await tx.query(`CREATE INDEX IF NOT EXISTS ${name} ON ${on}`)),
  dropIndex: async (name) => void (await tx.query(`DROP INDEX IF EXISTS ${name}`)),
})
