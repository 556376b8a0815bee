// The same responses by Fastify and pg on Node, written as their users would: hooks, handlers, a pool, a transaction per order. The windows
// are counted in the database, as nodes that share it have to: one statement per request.
import { createHash, randomUUID } from 'node:crypto'
import Fastify from 'fastify'
import pg from 'pg'

const { DATABASE_URL, API_KEY, PORT } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const most = 1_000_000_000
const keys = new Map([[API_KEY, { id: 1 }]])
const exposed =
  'Allow, Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Stability'
const baseUrl = 'http://localhost:8080'
const guide = `<${baseUrl}/docs/guides/deprecation>`
const digest = (text) => createHash('sha1').update(text).digest('base64url')

const app = Fastify({ genReqId: (request) => request.headers['x-request-id'] ?? randomUUID() })

const count = {
  name: 'count',
  text: `SELECT minute_before, day_before, admitted FROM petstore_admit(ARRAY[$1]::text[], ARRAY[$2::bigint], ARRAY[$3::bigint],
    ARRAY[$4::bigint], ARRAY[$4::bigint], ARRAY[1::bigint], ARRAY[1::bigint],
    ARRAY[$5::bigint], ARRAY[$5::bigint], ARRAY[0::bigint], ARRAY[0::bigint])`,
}
app.addHook('onRequest', async (request, reply) => {
  const key = keys.get(request.headers['x-api-key'])
  if (!key) return reply.code(401).send({ code: 'invalid_api_key' })
  const now = Date.now()
  const [minute, day] = [now - (now % 60_000), now - (now % 86_400_000)]
  const { rows } = await pool.query({ ...count, values: [`key:${key.id}`, minute, day, most, now] })
  if (Number(rows[0].admitted) === 0) return reply.code(429).send({ code: 'rate_limited' })
  const [inMinute, inDay] = [most - Number(rows[0].minute_before) - 1, most - Number(rows[0].day_before) - 1]
  const ends = [minute + 60_000, day + 86_400_000]
  const isMinute = inMinute < inDay
  request.key = key
  reply.headers({
    'Cache-Control': 'private, no-cache',
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposed,
    'X-Request-Id': request.id,
    'X-RateLimit-Limit': most,
    'X-RateLimit-Remaining': isMinute ? inMinute : inDay,
    'X-RateLimit-Reset': ends[isMinute ? 0 : 1] / 1000,
    'RateLimit-Policy': `"minute";q=${most};w=60,"day";q=${most};w=86400`,
    RateLimit: `"minute";r=${inMinute};t=${Math.ceil((ends[0] - now) / 1000)},"day";r=${inDay};t=${Math.ceil((ends[1] - now) / 1000)}`,
  })
})

const petById = { name: 'pet', text: 'SELECT id, name, category_id, status FROM pets WHERE id = $1' }
app.get('/pets/:petId', async (request, reply) => {
  const { petId } = request.params
  reply.headers({
    Deprecation: '@1793491200',
    Sunset: 'Wed, 30 Jun 2027 23:59:59 GMT',
    Link: `${guide}; rel="deprecation"; type="text/html", ${guide}; rel="sunset"; type="text/html", <${baseUrl}/pets/${petId}/profile>; rel="successor-version"`,
  })
  const { rows } = await pool.query({ ...petById, values: [petId] })
  if (!rows[0]) return reply.code(404).send({ code: 'pet_not_found' })
  const [{ id, name, category_id, status }] = rows
  const text = JSON.stringify({ id: Number(id), name, categoryId: Number(category_id), status })
  const tag = `"${digest(text)}"`
  reply.header('ETag', tag)
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.type('application/json').send(text)
})

const lock = { name: 'lock', text: 'SELECT status FROM pets WHERE id = $1 FOR UPDATE' }
const take = {
  name: 'take',
  text: 'UPDATE inventory SET quantity = quantity - $2 WHERE pet_id = $1 AND quantity >= $2 RETURNING quantity',
}
const insert = {
  name: 'insert',
  text: 'INSERT INTO orders (key_id, pet_id, quantity, ship_date, complete, created_at) VALUES ($1, $2, $3, NULL, 0, $4) RETURNING id',
}
const move = {
  name: 'move',
  text: "INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES ($1, $2, 'ordered', $3, NULL, $4)",
}
const note = {
  name: 'note',
  text: "INSERT INTO order_history (order_id, key_id, kind, changes, at) VALUES ($1, $2, 'placed', $3, $4)",
}
const tell = {
  name: 'tell',
  text: `INSERT INTO events (tx, type, key_id, data, previous, at) VALUES
    (pg_current_xact_id()::text::bigint, 'order.placed', $1, $2, NULL, $5),
    (pg_current_xact_id()::text::bigint, 'inventory.changed', NULL, $3, $4, $5)`,
}

async function place(client, key, petId, quantity) {
  const now = Date.now()
  const run = (statement, ...values) => client.query({ ...statement, values })
  const { rows: pets } = await run(lock, petId)
  if (pets[0]?.status !== 'available') return undefined
  const { rows: stocks } = await run(take, petId, quantity)
  if (!stocks[0]) return undefined
  const left = Number(stocks[0].quantity)
  const { rows: orders } = await run(insert, key.id, petId, quantity, now)
  const id = Number(orders[0].id)
  await run(move, petId, -quantity, id, now)
  const changes = { petId: { to: petId }, quantity: { to: quantity }, complete: { to: false } }
  await run(note, id, key.id, JSON.stringify(changes), now)
  const placed = JSON.stringify({ id, petId, quantity, complete: false })
  const item = JSON.stringify({ petId, quantity: left, status: 'available' })
  await run(tell, key.id, placed, item, JSON.stringify({ quantity: left + quantity }), now)
  return id
}

app.post('/store/orders', async (request, reply) => {
  const { petId, quantity = 1, ...others } = request.body
  if (!Number.isSafeInteger(petId) || !Number.isSafeInteger(quantity) || Object.keys(others).length > 0) {
    return reply.code(400).send({ code: 'validation_failed' })
  }
  const client = await pool.connect()
  let id
  try {
    await client.query('BEGIN')
    id = await place(client, request.key, petId, quantity)
    await client.query(id === undefined ? 'ROLLBACK' : 'COMMIT')
  } catch (error) {
    await client.query('ROLLBACK')
    throw error
  } finally {
    client.release()
  }
  if (id === undefined) return reply.code(409).send({ code: 'insufficient_stock' })
  const text = JSON.stringify({ id, petId, quantity, complete: false })
  reply.headers({ Location: `/store/orders/${id}`, ETag: `"${digest(text)}"` })
  return reply.code(201).type('application/json').send(text)
})

await app.listen({ host: '127.0.0.1', port: Number(PORT) })
process.stdout.write(`Fastify is ready on port ${app.server.address().port}.\n`)
