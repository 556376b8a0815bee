import { keyset, page } from '../../platform/api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../../platform/api/operation.ts'
import { type Awaitable, after } from '../../platform/lib/awaitable.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { changePet } from './change.ts'
import { findCounts } from './counts.ts'
import { deletePet } from './delete.ts'
import { petNotFound } from './lock.ts'
import * as operations from './operations.ts'
import { registerPet } from './register.ts'
import { registerPets } from './register-many.ts'
import { showCounts, showPet, showProfile } from './show.ts'
import * as store from './store.ts'

export const petRoutes: Route[] = [
  read(operations.listPets, async (db, { query }) => {
    const { sort = 'id' } = query
    const pageQuery = keyset(operations.listPets, query, store.petSorts, sort)
    return page(await store.findPets(db, query, pageQuery), pageQuery, showPet)
  }),

  read(operations.listProfiles, async (db, { query }) => {
    const { sort = 'id' } = query
    const pageQuery = keyset(operations.listProfiles, query, store.petSorts, sort)
    return page(await store.findProfiles(db, query, pageQuery), pageQuery, showProfile)
  }),

  read(operations.countPets, async (db, { query }) => ok(showCounts(await findCounts(db, query.categoryId), query))),

  write(operations.createPet, async (tx, input) => {
    const pet = await registerPet(tx, input, input.body)
    return created(showPet(pet), `/pets/${pet.id}/profile`)
  }),

  write(operations.createPets, async (tx, input) => {
    const pets = await registerPets(tx, input, input.body)
    return { status: 201 as const, body: pets.map(showPet) }
  }),

  read(operations.getPet, (db, { params: { petId } }) => respond(store.findPet(db, petId), petId, showPet)),

  write(operations.replacePet, async (tx, input) =>
    ok(showPet(await changePet(tx, input, input.params.petId, input.body))),
  ),

  write(operations.updatePet, async (tx, input) =>
    ok(showPet(await changePet(tx, input, input.params.petId, input.body))),
  ),

  write(operations.deletePet, async (tx, input) => {
    await deletePet(tx, input, input.params.petId)
    return noContent()
  }),

  read(operations.getPetProfile, (db, { params: { petId } }) =>
    respond(store.findProfile(db, petId), petId, showProfile),
  ),
]

/** Responds with the pet that was found, or `pet_not_found`. */
const respond = <R, B>(found: Awaitable<R | undefined>, petId: Id, show: (row: R) => B) =>
  after(found, (row) => {
    if (!row) throw petNotFound(petId)
    return ok(show(row))
  })
