import type { Transaction } from '../db/database.ts'
import type { CategoryRow } from '../db/tables.ts'
import { insertCategory } from './store.ts'

export interface NewCategory {
  readonly name: string
  readonly description?: string | undefined
}

/** Adds a category, to which pets can then belong. */
export const createCategory = (tx: Transaction, { name, description }: NewCategory): Promise<CategoryRow> =>
  insertCategory(tx, { name, description: description ?? null })
