// Our own SDK.
import { PetStore } from '@petstore/sdk'

const petstore = new PetStore({ attemptTimeoutMs: 5_000 })
const order = (petId) => petstore.store.orders.place({ petId: Number(petId), quantity: 1 })

const calls = {
  read: (petId) => petstore.pets.profile(petId),
  pages: () => petstore.pets.list({ limit: 20 }).toArray(),
  order,
  // Every POST of the SDK has a key.
  'order-with-key': order,
  async edit(petId) {
    const pet = await calls.read(petId)
    await petstore.pets.update(petId, { name: 'Max' }, { ifMatch: pet })
  },
  wrong: () => petstore.request('GET', '/pets?limit=0'),
}

const [, , call, petId] = process.argv
await calls[call](petId)
