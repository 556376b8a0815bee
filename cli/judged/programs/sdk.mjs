// Our own SDK, against a shop of its own.
import { PetStore } from '@petstore/sdk'
import { makeCalls, url } from './make-calls.mjs'

const petstore = new PetStore({ baseUrl: url })

await makeCalls({
  change: () => petstore.store.orders.place({ petId: 1, quantity: 1 }),
  reads: [() => petstore.pets.profile(1), () => petstore.categories.get(1)],
})
