import { ascending, type Clause, descending, equals, type Keyset } from '../../platform/db/clauses.ts'
import type { Database, Queryable, Transaction } from '../../platform/db/database.ts'
import { placeholderList } from '../../platform/db/many.ts'
import { findPage } from '../../platform/db/pages/find-page.ts'
import type { Found, List } from '../../platform/db/pages/list.ts'
import { searchFor } from '../../platform/db/search.ts'
import type { Bit } from '../../platform/db/value.ts'
import type { Awaitable } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { foldCase } from '../../platform/lib/text.ts'
import type { CategoryRow } from '../categories/store.ts'
import type { PetStatus, StatusState } from './status.ts'

export interface PetRow {
  id: number
  name: string
  category_id: number
  status: PetStatus
  /** A person set this status against the stock; it stays until a person sets the status that follows from the stock. */
  held: Bit
}

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
  minQuantity?: number | undefined
  maxQuantity?: number | undefined
}

const stock = 'coalesce((SELECT quantity FROM inventory WHERE pet_id = pets.id), 0) AS stock'

/** Selects pets with the columns that the filter compares. */
function selectFor({ q, minQuantity, maxQuantity }: PetFilter): string {
  const isByStock = minQuantity !== undefined || maxQuantity !== undefined
  return `SELECT ${columns}${q === undefined ? '' : ', name_folded'}${isByStock ? `, ${stock}` : ''} FROM pets`
}

export async function findPets(db: Queryable, filter: PetFilter, keyset: Keyset): Promise<Found<PetRow>> {
  const { ids, q } = filter
  const select = selectFor(filter)
  if (q === undefined) return findPage(db, { select, ...conditionsOf(filter), search: ids && searchByIds(ids) }, keyset)
  const part = foldCase(q)
  const { filters, ...conditions } = conditionsOf(filter)
  const list = {
    select,
    ...conditions,
    filters: [...filters, [db.dialect.holds('name_folded', '?'), part] as const],
    search: ids ? searchByIds(ids) : await searchFor(db, 'pets', part),
  }
  return findPage(db, list, keyset)
}

const searchByIds = (ids: readonly Id[]): Clause => ['SELECT id AS found FROM pets WHERE id IN (?)', ids]

/** The conditions of a filter. An index serves either category or status, in any sort order; the other is checked row by row. */
function conditionsOf({ status, categoryId, ids, minQuantity, maxQuantity }: PetFilter) {
  const byCategory = categoryId?.length
    ? [...new Set(categoryId)].map((id): Clause => equals('category_id', id))
    : undefined
  const byStatus = status && statusClauses(status)
  return {
    oneOf: byCategory ?? byStatus,
    filters: [
      byCategory && status && (['status IN (?)', [...new Set(status)]] as const),
      ids && (['id IN (?)', ids] as const),
      minQuantity === undefined ? undefined : (['stock >= ?', minQuantity] as const),
      maxQuantity === undefined ? undefined : (['stock <= ?', maxQuantity] as const),
    ],
  } satisfies Partial<List>
}

/** One condition per distinct status. */
export const statusClauses = (statuses: readonly PetStatus[]): Clause[] =>
  [...new Set(statuses)].map((status) => equals('status', status))

const petById = `SELECT ${columns} FROM pets WHERE id`

export const findPet = (db: Database, id: Id): Awaitable<PetRow | undefined> => db.find(petById, id)

interface PetFields extends StatusState {
  name: string
  categoryId: Id
}

/** Violates a foreign key if there is no such category. */
export async function insertPet(tx: Transaction, { name, categoryId, status, held }: PetFields): Promise<PetRow> {
  const [row] = await tx.query<PetRow>(
    `INSERT INTO pets (name, name_folded, category_id, status, held) VALUES ($1, $2, $3, $4, $5) RETURNING ${columns}`,
    [name, foldCase(name), categoryId, status, held],
  )
  return row as PetRow
}

/** Violates a foreign key if there is no such category. */
export async function updatePet(tx: Transaction, id: Id, fields: PetFields): Promise<PetRow> {
  const { name, categoryId, status, held } = fields
  const [row] = await tx.query<PetRow>(
    `UPDATE pets SET name = $2, name_folded = $3, category_id = $4, status = $5, held = $6 WHERE id = $1
     RETURNING ${columns}`,
    [id, name, foldCase(name), categoryId, status, held],
  )
  return row as PetRow
}

/** Its inventory item is deleted by a foreign key. */
export function deletePet(tx: Transaction, id: Id): void {
  tx.send('DELETE FROM pets WHERE id = $1', [id])
}

export interface ProfileRow extends PetRow {
  category_name: CategoryRow['name']
  category_description: CategoryRow['description']
  stock: number
}

const profileById = `SELECT p.id, p.name, p.category_id, p.status, p.held, c.name AS category_name,
    c.description AS category_description, coalesce(i.quantity, 0) AS stock
  FROM pets p JOIN categories c ON c.id = p.category_id LEFT JOIN inventory i ON i.pet_id = p.id WHERE p.id`

export const findProfile = (db: Database, id: Id): Awaitable<ProfileRow | undefined> => db.find(profileById, id)

/** The profiles for a page of pets, in the same order. */
export async function findProfiles(db: Queryable, filter: PetFilter, keyset: Keyset): Promise<Found<ProfileRow>> {
  const { rows, next } = await findPets(db, filter, keyset)
  if (rows.length === 0) return { rows: [], next }
  const ids = rows.map(({ id }) => id)
  const found = await db.query<ProfileRow>(`${profileById} IN (${placeholderList(ids.length)})`, ids)
  const byId = new Map(found.map((profile) => [profile.id, profile]))
  return { rows: ids.flatMap((id) => byId.get(id) ?? []), next }
}
