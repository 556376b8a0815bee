import { ApiError } from '../api/errors.ts'
import { keyset, page } from '../api/list-page.ts'
import { created, type Input, noContent, ok, type Route, read, write } from '../api/operation.ts'
import { showCategory } from '../categories/show.ts'
import { ConstraintViolation, type Transaction } from '../db/database.ts'
import type { PetRow, PetStatus } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import { addStock, hasOpenOrders, removeStock, stockOf } from '../stock/move.ts'
import { registered, type Standing, setByHand, stockSays } from '../stock/status.ts'
import * as operations from './operations.ts'
import * as store from './store.ts'

export const petRoutes: Route[] = [
  read(operations.listPets, async (db, { query }) => {
    const { sort = 'id' } = query
    const asked = keyset(query, store.petSorts, sort)
    return page(await store.findPets(db, query, asked), asked, sort, showPet)
  }),

  write(operations.createPet, async (tx, { body, now }) => {
    const { quantity, ...standing } = registered(body.status ?? 'available')
    const pet = await knownCategory(body.categoryId, store.insertPet(tx, { ...body, ...standing }))
    await addStock(tx, { petId: pet.id, delta: quantity, cause: 'registered', now })
    return created(showPet(pet), `/pets/${pet.id}`)
  }),

  read(operations.getPet, async (db, { params }) => {
    const pet = await store.findPet(db, params.petId)
    if (!pet) throw petNotFound(params.petId)
    return ok(showPet(pet))
  }),

  write(operations.replacePet, async (tx, input) => {
    const { params, body } = input
    const pet = await lock(tx, params.petId, input)
    return ok(await change(tx, pet, body))
  }),

  write(operations.updatePet, async (tx, input) => {
    const { params, body } = input
    const pet = await lock(tx, params.petId, input)
    return ok(
      await change(tx, pet, {
        name: body.name ?? pet.name,
        categoryId: body.categoryId ?? pet.category_id,
        status: body.status,
      }),
    )
  }),

  write(operations.deletePet, async (tx, input) => {
    const { params, now } = input
    const pet = await lock(tx, params.petId, input)
    if (await hasOpenOrders(tx, pet.id)) {
      throw new ApiError('pet_has_open_orders', `Pet ${pet.id} has open orders; complete or cancel them first.`)
    }
    await removeStock(tx, pet.id, now)
    await store.deletePet(tx, pet.id)
    return noContent()
  }),

  read(operations.getPetProfile, async (db, { params }) => {
    const row = await store.findProfile(db, params.petId)
    if (!row) throw petNotFound(params.petId)
    return ok(showProfile(row))
  }),
]

async function change(
  tx: Transaction,
  pet: PetRow,
  to: { name: string; categoryId: Id; status?: PetStatus | undefined },
) {
  const standing = to.status === undefined ? pet : await moveByHand(tx, pet, to.status)
  const { status, held } = standing
  return showPet(await knownCategory(to.categoryId, store.updatePet(tx, pet.id, { ...to, status, held })))
}

async function moveByHand(tx: Transaction, pet: PetRow, wanted: PetStatus): Promise<Standing> {
  const says = stockSays(await stockOf(tx, pet.id))
  const standing = setByHand(pet.status, wanted, says)
  if (!standing) {
    const why = wanted === 'available' ? 'it has nothing in stock' : 'a sold pet cannot become pending'
    throw new ApiError(
      'invalid_status_transition',
      `Pet ${pet.id} is ${pet.status} and cannot be made ${wanted}: ${why}.`,
    )
  }
  return standing
}

/** The pet, locked. */
async function lock(tx: Transaction, id: Id, { mustMatch }: Pick<Input, 'mustMatch'>) {
  const pet = await store.lockPet(tx, id)
  if (!pet) throw petNotFound(id)
  mustMatch(showPet(pet))
  return pet
}

const petNotFound = (id: Id) => new ApiError('pet_not_found', `There is no pet ${id}.`)

async function knownCategory<T>(categoryId: Id, written: Promise<T>): Promise<T> {
  try {
    return await written
  } catch (error) {
    if (!(error instanceof ConstraintViolation)) throw error
    throw new ApiError('unknown_category', `There is no category ${categoryId}.`)
  }
}

const showPet = ({ id, name, category_id, status }: PetRow) => ({ id, name, categoryId: category_id, status })

function showProfile(row: store.ProfileRow) {
  const category = { id: row.category_id, name: row.category_name, description: row.category_description }
  return { ...showPet(row), category: showCategory(category), stock: row.stock }
}
