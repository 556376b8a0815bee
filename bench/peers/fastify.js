// The same responses by Fastify and better-sqlite3 on Node, written as their users would: hooks, handlers, one commit per order.
import { createHash, randomUUID } from 'node:crypto'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const { DATABASE_PATH, API_KEY, PORT } = process.env
const db = new Database(DATABASE_PATH)
for (const pragma of ['journal_mode = WAL', 'synchronous = FULL', 'foreign_keys = ON', 'cache_size = -65536']) {
  db.pragma(pragma)
}
const most = 1_000_000_000
const keys = new Map([[API_KEY, { id: 1, minute: 0, day: 0, usedInMinute: 0, usedInDay: 0 }]])
const exposed =
  'Allow, Deprecation, ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, X-Stability'
const baseUrl = 'http://localhost:8080'
const guide = `<${baseUrl}/docs/guides/deprecation>`
const digest = (text) => createHash('sha1').update(text).digest('base64url')

const app = Fastify({ genReqId: (request) => request.headers['x-request-id'] ?? randomUUID() })

app.addHook('onRequest', async (request, reply) => {
  const key = keys.get(request.headers['x-api-key'])
  if (!key) return reply.code(401).send({ code: 'invalid_api_key' })
  const now = Date.now()
  const [minute, day] = [now - (now % 60_000), now - (now % 86_400_000)]
  if (key.minute !== minute) Object.assign(key, { minute, usedInMinute: 0 })
  if (key.day !== day) Object.assign(key, { day, usedInDay: 0 })
  if (key.usedInMinute >= most || key.usedInDay >= most) return reply.code(429).send({ code: 'rate_limited' })
  const [inMinute, inDay] = [most - ++key.usedInMinute, most - ++key.usedInDay]
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

function sendTagged(request, reply, body, tag) {
  reply.header('ETag', tag)
  if (request.headers['if-none-match'] === tag) return reply.code(304).send()
  return reply.type('application/json').send(body)
}

const show = (row) => ({ id: row.id, name: row.name, categoryId: row.category_id, status: row.status })

const petById = db.prepare('SELECT id, name, category_id, status FROM pets WHERE id = ?')
app.get('/pets/:petId', async (request, reply) => {
  const { petId } = request.params
  reply.headers({
    Deprecation: '@1793491200',
    Sunset: 'Wed, 30 Jun 2027 23:59:59 GMT',
    Link: `${guide}; rel="deprecation"; type="text/html", ${guide}; rel="sunset"; type="text/html", <${baseUrl}/pets/${petId}/profile>; rel="successor-version"`,
  })
  const row = petById.get(Number(petId))
  if (!row) return reply.code(404).send({ code: 'pet_not_found' })
  const text = JSON.stringify(show(row))
  return sendTagged(request, reply, text, `"${digest(text)}"`)
})

const profileById = db.prepare(`SELECT p.id, p.name, p.category_id, p.status, c.name AS category_name,
    c.description AS category_description, coalesce(i.quantity, 0) AS stock
  FROM pets p JOIN categories c ON c.id = p.category_id LEFT JOIN inventory i ON i.pet_id = p.id WHERE p.id = ?`)
app.get('/pets/:petId/profile', async (request, reply) => {
  const row = profileById.get(Number(request.params.petId))
  if (!row) return reply.code(404).send({ code: 'pet_not_found' })
  const own = show(row)
  const category = { id: row.category_id, name: row.category_name, description: row.category_description ?? undefined }
  const apart = { category, stock: row.stock }
  const tag = `"${digest(JSON.stringify(own))}.${digest(JSON.stringify(apart))}"`
  return sendTagged(request, reply, JSON.stringify({ ...own, ...apart }), tag)
})

const pageByStatus = db.prepare(
  'SELECT id, name, category_id, status FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?',
)
app.get('/pets', async (request, reply) => {
  const { status = 'available', limit = '20', cursor } = request.query
  const list = createHash('sha256').update(`pets ${status}`).digest('base64url').slice(0, 8)
  const [belongsTo, after] = cursor ? JSON.parse(Buffer.from(cursor, 'base64url').toString()) : [list, 0]
  if (belongsTo !== list) return reply.code(400).send({ code: 'invalid_cursor' })
  const rows = pageByStatus.all(status, after, Number(limit) + 1)
  const shown = rows.slice(0, Number(limit))
  if (rows.length > shown.length) {
    const next = Buffer.from(JSON.stringify([list, shown.at(-1).id])).toString('base64url')
    reply.header('Link', `<${baseUrl}/pets?${new URLSearchParams({ ...request.query, cursor: next })}>; rel="next"`)
  }
  return shown.map(show)
})

const locked = db.prepare(`SELECT status, (SELECT quantity FROM inventory WHERE pet_id = ?1) AS stock,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = ?1 AND complete = 0 LIMIT 2)) AS open FROM pets WHERE id = ?1`)
const insert = db.prepare(
  'INSERT INTO orders (key_id, pet_id, quantity, ship_date, complete, created_at) VALUES (?, ?, ?, NULL, 0, ?) RETURNING id',
)
const take = db.prepare('UPDATE inventory SET quantity = quantity - ?2 WHERE pet_id = ?1')
const move = db.prepare(
  "INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES (?, ?, 'ordered', ?, NULL, ?)",
)
const note = db.prepare("INSERT INTO order_history (order_id, key_id, kind, changes, at) VALUES (?, ?, 'placed', ?, ?)")
const tell = db.prepare(`INSERT INTO events (tx, type, key_id, data, previous, at)
  VALUES (0, 'order.placed', ?1, ?2, NULL, ?5), (0, 'inventory.changed', NULL, ?3, ?4, ?5)`)
const place = db.transaction((key, petId, quantity) => {
  const now = Date.now()
  const found = locked.get(petId)
  if (found?.status !== 'available' || found.stock < quantity) return undefined
  const { id } = insert.get(key.id, petId, quantity, now)
  take.run(petId, quantity)
  move.run(petId, -quantity, id, now)
  const changes = { petId: { to: petId }, quantity: { to: quantity }, complete: { to: false } }
  note.run(id, key.id, JSON.stringify(changes), now)
  const placed = JSON.stringify({ id, petId, quantity, complete: false })
  const item = JSON.stringify({ petId, quantity: found.stock - quantity, status: found.status })
  tell.run(key.id, placed, item, JSON.stringify({ quantity: found.stock }), now)
  return id
})
app.post('/store/orders', async (request, reply) => {
  const { petId, quantity = 1, ...others } = request.body
  if (!Number.isSafeInteger(petId) || !Number.isSafeInteger(quantity) || Object.keys(others).length > 0) {
    return reply.code(400).send({ code: 'validation_failed' })
  }
  const id = place.immediate(request.key, petId, quantity)
  if (id === undefined) return reply.code(409).send({ code: 'insufficient_stock' })
  const text = JSON.stringify({ id, petId, quantity, complete: false })
  reply.headers({ Location: `/store/orders/${id}`, ETag: `"${digest(text)}"` })
  return reply.code(201).type('application/json').send(text)
})

await app.listen({ host: '127.0.0.1', port: Number(PORT) })
process.stdout.write(`Fastify is ready on port ${app.server.address().port}.\n`)
