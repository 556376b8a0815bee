// A client that passes every challenge: petstore sandbox challenge --all -- node client.mjs
import { createServer } from 'node:http'
import { NotFoundError, PetStore, PreconditionFailedError, verifyWebhook } from '@petstore/sdk'

// Takes the address and the key from PETSTORE_URL and PETSTORE_API_KEY.
const petstore = new PetStore()

/** Hands in what a challenge asked for. */
const handIn = (words) => petstore.categories.create({ name: 'Result', description: words.join(',') })

async function rename(petId, name) {
  for (;;) {
    const pet = await petstore.pets.profile(petId)
    try {
      return await petstore.pets.update(petId, { name }, { ifMatch: pet })
    } catch (error) {
      // Someone else changed it in the meantime: read it again.
      if (!(error instanceof PreconditionFailedError)) throw error
    }
  }
}

async function seeCategories(count) {
  const names = []
  for await (const { data } of petstore.events.follow({ type: ['category.created'] })) {
    if (names.push(data.name) === count) return names
  }
}

/** Receives messages until a genuine one came twice and a forged one was rejected. Returns the ids of the genuine ones. */
async function receive() {
  const seen = new Set()
  let secret
  let hasRejected = false
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  let hasRepeated = false
  const server = createServer(async (request, response) => {
    const chunks = await request.toArray()
    try {
      const event = await verifyWebhook(Buffer.concat(chunks), request.headers, secret)
      // A message may come twice: handle each id once, and respond both times.
      if (seen.has(event.id)) hasRepeated = true
      seen.add(event.id)
      response.writeHead(204).end()
    } catch {
      hasRejected = true
      response.writeHead(401).end()
    }
    if (hasRejected && hasRepeated) finish()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/`
  const webhook = await petstore.webhooks.create({ url, events: ['order.placed'] })
  secret = webhook.secret
  await petstore.store.orders.place({ petId: 23, quantity: 1 })
  await finished
  server.close()
  server.closeAllConnections()
  return [...seen]
}

const idsOf = (pets) => pets.map(({ id }) => id)

const lessons = {
  limits: async () => handIn(idsOf(await petstore.pets.list().toArray())),
  async retries() {
    const pets = []
    for (const petId of [1, 2, 3, 4, 5, 6, 7]) pets.push(await petstore.pets.profile(petId))
    await petstore.pets.profile(999_999).catch((error) => {
      if (!(error instanceof NotFoundError)) throw error
    })
    await handIn(pets.map(({ name }) => name))
  },
  pages: async () => handIn(idsOf(await petstore.pets.list({ limit: 5 }).toArray())),
  races: () => rename(1, 'Rex the Second'),
  'lost-responses': () => petstore.store.orders.place({ petId: 23, quantity: 1, shipDate: '2030-01-01T00:00:00Z' }),
  events: async () => handIn(await seeCategories(3)),
  webhooks: async () => handIn(await receive()),
  async deprecation() {
    const pets = [await petstore.pets.get(1), await petstore.pets.profile(2), await petstore.pets.profile(3)]
    await handIn(pets.map(({ name }) => name))
  },
}

await lessons[process.env.PETSTORE_CHALLENGE]()
