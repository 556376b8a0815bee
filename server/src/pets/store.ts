import { ascending, type Clause, descending, type Keyset, pageQuery, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import type { CategoryRow, PetRow, PetStatus } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { foldCase } from '../lib/text.ts'
import type { Standing } from '../stock/status.ts'

export const petSorts = {
  id: ascending({ id: 'integer' }),
  '-id': descending({ id: 'integer' }),
  name: ascending({ name: 'text', id: 'integer' }),
  '-name': descending({ name: 'text', id: 'integer' }),
}

const fields = 'name, category_id, status, held'
const columns = `id, ${fields}`

export interface PetFilter {
  status?: PetStatus[] | undefined
  categoryId?: Id | undefined
  ids?: Id[] | undefined
  q?: string | undefined
}

export function findPets(db: Queryable, { status, categoryId, ids, q }: PetFilter, keyset: Keyset): Promise<PetRow[]> {
  const named = q === undefined ? undefined : db.dialect.containing('pets', fields, 'name_folded', foldCase(q))
  const page = pageQuery({
    select: named?.select ?? `SELECT ${columns} FROM pets`,
    where: [
      categoryId === undefined ? undefined : ['category_id = ?', categoryId],
      ids && ['id IN (?)', ids],
      named?.where,
    ],
    oneOf: status && statusIs(status),
    keyset,
  })
  return db.query(...page)
}

/** A condition for each status that is asked for, however often. */
export const statusIs = (asked: readonly PetStatus[]): Clause[] =>
  [...new Set(asked)].map((status) => ['status = ?', status])

export async function findPet(db: Queryable, id: Id): Promise<PetRow | undefined> {
  const [row] = await db.query<PetRow>(`SELECT ${columns} FROM pets WHERE id = $1`, [id])
  return row
}

/** Those of these categories that there are. */
export async function knownCategories(db: Queryable, ids: readonly Id[]): Promise<Set<Id>> {
  const { where: condition, params } = where([['id IN (?)', ids]])
  const rows = await db.query<{ id: number }>(`SELECT id FROM categories ${condition}`, params)
  return new Set(rows.map(({ id }) => id))
}

interface PetFields extends Standing {
  name: string
  categoryId: Id
}

/** Refused by the database when there is no such category. */
export async function insertPet(tx: Transaction, { name, categoryId, status, held }: PetFields): Promise<PetRow> {
  const [row] = await tx.query<PetRow>(
    `INSERT INTO pets (name, name_folded, category_id, status, held) VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
    [name, foldCase(name), categoryId, status, held],
  )
  return row as PetRow
}

/** Refused by the database when there is no such category. */
export async function updatePet(tx: Transaction, id: Id, fields: PetFields): Promise<PetRow> {
  const { name, categoryId, status, held } = fields
  const [row] = await tx.query<PetRow>(
    `UPDATE pets SET name = $2, name_folded = $3, category_id = $4, status = $5, held = $6 WHERE id = $1
     RETURNING ${columns}`,
    [id, name, foldCase(name), categoryId, status, held],
  )
  return row as PetRow
}

/** Its stock goes with it. */
export async function deletePet(tx: Transaction, id: Id): Promise<void> {
  await tx.query('DELETE FROM pets WHERE id = $1', [id])
}

export interface ProfileRow extends PetRow {
  category_name: CategoryRow['name']
  category_description: CategoryRow['description']
  stock: number
}

export async function findProfile(db: Queryable, id: Id): Promise<ProfileRow | undefined> {
  const [row] = await db.query<ProfileRow>(
    `SELECT p.id, p.name, p.category_id, p.status, p.held, c.name AS category_name, c.description AS category_description,
            coalesce(i.quantity, 0) AS stock
     FROM pets p JOIN categories c ON c.id = p.category_id LEFT JOIN inventory i ON i.pet_id = p.id
     WHERE p.id = $1`,
    [id],
  )
  return row
}
