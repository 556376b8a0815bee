import { ascending, descending, type Keyset, where } from '../../platform/db/clauses.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found } from '../../platform/db/pages/list.ts'
import { searchFor } from '../../platform/db/search.ts'
import { type Awaitable, firstOf } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { foldCase } from '../../platform/lib/text.ts'

export interface CategoryRow {
  id: number
  name: string
  description: string | null
}

export const categorySorts = {
  id: ascending({ id: 'integer' }),
  '-id': descending({ id: 'integer' }),
  name: ascending({ name: 'text', id: 'integer' }),
  '-name': descending({ name: 'text', id: 'integer' }),
}

export interface CategoryFields {
  name: string
  description: string | null
}

const columns = 'id, name, description'

export async function findCategories(
  db: Queryable,
  { q }: { q?: string | undefined },
  keyset: Keyset,
): Promise<Found<CategoryRow>> {
  const select = `SELECT ${columns}, name_folded FROM categories`
  if (q === undefined) return findPage(db, { select }, keyset)
  const part = foldCase(q)
  const search = await searchFor(db, 'categories', part)
  return findPage(db, { select, filters: [[db.dialect.holds('name_folded', '?'), part]], search }, keyset)
}

const byId = `SELECT ${columns} FROM categories WHERE id`

export const findCategory = (db: Database, id: Id): Awaitable<CategoryRow | undefined> => db.find(byId, id)

/** The ids among these that exist. */
export async function findExistingIds(db: Queryable, ids: readonly Id[]): Promise<Set<Id>> {
  const { where: idFilter, params } = where([['id IN (?)', ids]])
  const rows = await db.query<{ id: number }>(`SELECT id FROM categories ${idFilter}`, params)
  return new Set(rows.map(({ id }) => id))
}

export const lockCategory = (tx: Transaction, id: Id): Awaitable<CategoryRow | undefined> =>
  firstOf(tx.query(`${byId} = $1 ${tx.dialect.forUpdate}`, [id]))

export async function insertCategory(tx: Transaction, { name, description }: CategoryFields): Promise<CategoryRow> {
  const [row] = await tx.query<CategoryRow>(
    `INSERT INTO categories (name, name_folded, description) VALUES ($1, $2, $3) RETURNING ${columns}`,
    [name, foldCase(name), description],
  )
  return row as CategoryRow
}

export function updateCategory(tx: Transaction, { id, name, description }: CategoryRow): void {
  tx.send('UPDATE categories SET name = $2, name_folded = $3, description = $4 WHERE id = $1', [
    id,
    name,
    foldCase(name),
    description,
  ])
}

/** Violates a foreign key if the category has pets. */
export async function deleteCategory(tx: Transaction, id: Id): Promise<void> {
  await tx.query('DELETE FROM categories WHERE id = $1', [id])
}
