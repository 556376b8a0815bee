// Clients that each get one thing of a challenge wrong: node clients.mjs <name>
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

const { PETSTORE_URL: url, PETSTORE_API_KEY: apiKey } = process.env

async function send(method, target, body, headers = {}) {
  const response = await fetch(target.startsWith('http') ? target : url + target, {
    method,
    // On a connection that was open before, Bun would automatically send a cut request again.
    keepalive: false,
    headers: { 'X-API-Key': apiKey, ...(body && { 'Content-Type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
const get = (target, headers) => send('GET', target, undefined, headers)
const handIn = (words) => send('POST', '/categories', { name: 'Result', description: words.join(',') })
const order = (headers, shipDate = '2030-01-01T00:00:00Z') =>
  send('POST', '/store/orders', { petId: 23, quantity: 1, shipDate }, headers)
const idsOf = ({ body }) => body.map(({ id }) => id)

/** Repeats a read until it works, with full jitter on top of Retry-After. */
async function persist(target) {
  for (const boundMs of [200, 400, 800, 1600, 3200, 6400]) {
    const response = await get(target).catch(() => undefined)
    if (response && response.status < 500 && response.status !== 429) return response
    const asked = Number(response?.headers.get('Retry-After') ?? 0)
    await pause(asked * 1000 + Math.random() * boundMs)
  }
}

async function namesOfPets() {
  const names = []
  for (const petId of [1, 2, 3, 4, 5, 6, 7]) names.push((await persist(`/pets/${petId}/profile`)).body.name)
  return names
}

const openStream = () =>
  fetch(`${url}/events/stream?type=category.created`, { keepalive: false, headers: { 'X-API-Key': apiKey } })

/** Receives webhooks; `respond` gives the status. Resolves to the ids of the first three messages. */
async function receive(respond) {
  const ids = []
  let finish
  const finished = new Promise((resolve) => {
    finish = resolve
  })
  const server = createServer(async (request, response) => {
    await request.toArray()
    const id = request.headers['webhook-id']
    ids.push(id)
    response.writeHead(respond(id, ids)).end()
    if (ids.length === 3) finish()
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${server.address().port}/`
  await send('POST', '/webhooks', { url: address, events: ['order.placed'] })
  await order({}, '2030-02-01T00:00:00Z')
  await finished
  // The last response is still being sent.
  await new Promise((resolve) => server.close(resolve))
  return ids
}

const clients = {
  async 'limits: does not wait'() {
    let response = await get('/pets?limit=100')
    while (response.status === 429) {
      await pause(50)
      response = await get('/pets?limit=100')
    }
    await handIn(idsOf(response))
  },
  async 'limits: stops after five pets'() {
    await handIn(idsOf(await persist('/pets?limit=5')))
  },
  async 'retries: retries a 404'() {
    const names = await namesOfPets()
    for (let count = 0; count < 5; count++) {
      await get('/pets/999999/profile')
      await pause(50)
    }
    await handIn(names)
  },
  async 'retries: gives up'() {
    const pet = await persist('/pets/1/profile')
    await get('/pets/7/profile')
    await get('/pets/999999/profile')
    await handIn([pet.body.name])
  },
  async 'pages: stops after two pages'() {
    const first = await get('/pets?limit=5')
    const [, next] = /<([^>]*)>; rel="next"/.exec(first.headers.get('Link'))
    await handIn([...idsOf(first), ...idsOf(await get(next))])
  },
  async 'pages: takes all on one page'() {
    await handIn(idsOf(await get('/pets?limit=100')))
  },
  async 'races: edits without If-Match'() {
    const name = 'Rex the Second'
    for (let status = 412; status === 412; ) ({ status } = await send('PATCH', '/pets/1', { name }))
  },
  async 'races: gives up'() {
    const { headers } = await get('/pets/1/profile')
    await send('PATCH', '/pets/1', { name: 'Rex the Second' }, { 'If-Match': headers.get('ETag') })
  },
  async 'lost-responses: repeats without a key'() {
    await order().catch(() => order())
  },
  async 'lost-responses: gives up'() {
    await order({ 'Idempotency-Key': crypto.randomUUID() }).catch(() => undefined)
  },
  async 'events: starts again without Last-Event-ID'() {
    const stream = await openStream()
    await stream.text().catch(() => 'It broke.')
    await openStream()
    await handIn(['Ferrets', 'Geckos', 'Parrots'])
    process.exit()
  },
  async 'events: never opens the stream'() {
    await handIn(['Ferrets', 'Geckos', 'Parrots'])
  },
  async 'webhooks: trusts every message'() {
    await handIn([...new Set(await receive(() => 204))])
  },
  async 'webhooks: rejects what it has seen'() {
    const ids = await receive((id, seen) =>
      id.startsWith('forged') ? 401 : seen.indexOf(id) < seen.length - 1 ? 409 : 204,
    )
    await handIn([ids[0]])
  },
  async 'deprecation: goes on with what is deprecated'() {
    const names = []
    for (const petId of [1, 2, 3]) {
      names.push((await get(`/pets/${petId}`)).body.name)
      await pause(50)
    }
    await handIn(names)
  },
  async 'deprecation: reads one pet'() {
    await handIn([(await get('/pets/1')).body.name])
  },
}

await clients[process.argv[2]]()
