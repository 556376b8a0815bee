import { ascending, type Clause, descending, type Keyset, likePattern, where } from '../db/clauses.ts'
import type { Queryable, Transaction } from '../db/database.ts'
import { type Found, findPage, type List } from '../db/find-page.ts'
import type { CategoryRow, PetRow, PetStatus } from '../db/tables.ts'
import { type Awaitable, firstOf } from '../lib/awaitable.ts'
import type { Id } from '../lib/int64.ts'
import { foldCase } from '../lib/text.ts'
import type { Standing } from '../stock/status.ts'

export const petSorts = {
  id: ascending({ id: 'integer' }),
  '-id': descending({ id: 'integer' }),
  name: ascending({ name: 'text', id: 'integer' }),
  '-name': descending({ name: 'text', id: 'integer' }),
}

const columns = 'id, name, category_id, status, held'

export interface PetFilter {
  status?: PetStatus[] | undefined
  categoryId?: Id[] | undefined
  ids?: Id[] | undefined
  q?: string | undefined
}

const rows = `SELECT ${columns} FROM pets`
const searchedRows = `SELECT ${columns}, name_folded FROM pets`

export const findPets = (db: Queryable, filter: PetFilter, keyset: Keyset): Promise<Found<PetRow>> =>
  findPage(db, { select: filter.q === undefined ? rows : searchedRows, ...conditionsOf(db, filter) }, keyset)

/** How the pets that a filter lets through are found. Of category and status an index serves one, whatever the order. */
function conditionsOf({ dialect }: Queryable, { status, categoryId, ids, q }: PetFilter): Omit<List, 'select'> {
  const isOfCategory = categoryId?.length
    ? [...new Set(categoryId)].map((id): Clause => ['category_id = ?', id])
    : undefined
  const hasStatus = status && statusIs(status)
  const part = q === undefined ? undefined : foldCase(q)
  return {
    oneOf: isOfCategory ?? hasStatus,
    filters: [
      isOfCategory && status && ['status IN (?)', [...new Set(status)]],
      ids && ['id IN (?)', ids],
      part === undefined ? undefined : [`name_folded LIKE ? ESCAPE '\\'`, likePattern(part)],
    ],
    search: ids
      ? ['SELECT id AS found FROM pets WHERE id IN (?)', ids]
      : part === undefined
        ? undefined
        : dialect.containing('pets', part),
  }
}

/** A condition for each status that is asked for, however often. */
export const statusIs = (asked: readonly PetStatus[]): Clause[] =>
  [...new Set(asked)].map((status) => ['status = ?', status])

const petById = `SELECT ${columns} FROM pets WHERE id = $1`

export const findPet = (db: Queryable, id: Id): Awaitable<PetRow | undefined> => firstOf(db.query(petById, [id]))

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
export function deletePet(tx: Transaction, id: Id): void {
  tx.send('DELETE FROM pets WHERE id = $1', [id])
}

export interface ProfileRow extends PetRow {
  category_name: CategoryRow['name']
  category_description: CategoryRow['description']
  stock: number
}

const profiles = (condition: string) => `SELECT p.id, p.name, p.category_id, p.status, p.held, c.name AS category_name,
    c.description AS category_description, coalesce(i.quantity, 0) AS stock
  FROM pets p JOIN categories c ON c.id = p.category_id LEFT JOIN inventory i ON i.pet_id = p.id WHERE ${condition}`

const profileById = profiles('p.id = $1')

export const findProfile = (db: Queryable, id: Id): Awaitable<ProfileRow | undefined> =>
  firstOf(db.query(profileById, [id]))

/** The profiles of a page of pets, in its order. */
export async function findProfiles(db: Queryable, filter: PetFilter, keyset: Keyset): Promise<Found<ProfileRow>> {
  const { rows, next } = await findPets(db, filter, keyset)
  if (rows.length === 0) return { rows: [], next }
  const ids = rows.map(({ id }) => id)
  const found = await db.query<ProfileRow>(
    profiles(`p.id IN (${ids.map((_, index) => `$${index + 1}`).join(', ')})`),
    ids,
  )
  const byId = new Map(found.map((profile) => [profile.id, profile]))
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), next }
}
