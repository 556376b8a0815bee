// The same responses as this service, written by hand: one function per request, with nothing between socket and SQLite. Key, both
// windows, request ID, tag and every header are made per request, as in the service. There is no log, no metrics, no second engine, no
// counter that survives a crash, and only the checks that these requests need: the minimum cost of the same responses.
import { Database } from 'bun:sqlite'
import { hash } from 'node:crypto'
import { baseUrl, deprecated, enter, type Key, notFound, tagged, tagOf } from './straight-entry.ts'
import { whole } from './whole.ts'

const { DATABASE_PATH = '', PORT } = process.env
const db = new Database(DATABASE_PATH, { strict: true })
for (const pragma of [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'cache_size = -65536',
  'temp_store = MEMORY',
]) {
  db.run(`PRAGMA ${pragma}`)
}

interface PetRow {
  id: number
  name: string
  category_id: number
  status: string
}
const petById = db.query<PetRow, [number]>('SELECT id, name, category_id, status FROM pets WHERE id = ?')

function pet(request: Bun.BunRequest<'/pets/:petId'>): Response {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  const { headers } = entered
  const { petId } = request.params
  deprecated(headers, petId)
  const row = petById.get(Number(petId))
  if (!row) return notFound(headers)
  const text = JSON.stringify({ id: row.id, name: row.name, categoryId: row.category_id, status: row.status })
  return tagged(request, text, tagOf(text), headers)
}

interface ProfileRow extends PetRow {
  category_name: string
  category_description: string | null
  stock: number
}
const profileById = db.query<
  ProfileRow,
  [number]
>(`SELECT p.id, p.name, p.category_id, p.status, c.name AS category_name,
    c.description AS category_description, coalesce(i.quantity, 0) AS stock
  FROM pets p JOIN categories c ON c.id = p.category_id LEFT JOIN inventory i ON i.pet_id = p.id WHERE p.id = ?`)

function profile(request: Bun.BunRequest<'/pets/:petId/profile'>): Response {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  const { headers } = entered
  const row = profileById.get(Number(request.params.petId))
  if (!row) return notFound(headers)
  const own = { id: row.id, name: row.name, categoryId: row.category_id, status: row.status }
  const category = { id: row.category_id, name: row.category_name, description: row.category_description ?? undefined }
  const apart = { category, stock: row.stock }
  // A tag with two parts: the pet itself, and what changes independently of it.
  const tag = `"${hash('sha1', JSON.stringify(own), 'base64url')}.${hash('sha1', JSON.stringify(apart), 'base64url')}"`
  return tagged(request, JSON.stringify({ ...own, ...apart }), tag, headers)
}

const pageByStatus = db.query<PetRow, [string, number, number]>(
  'SELECT id, name, category_id, status FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?',
)

function page(request: Bun.BunRequest<'/pets'>): Response {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  const { headers } = entered
  const query = new URLSearchParams(request.url.slice(request.url.indexOf('?') + 1))
  const status = query.get('status') ?? 'available'
  const limit = Number(query.get('limit') ?? 20)
  const cursor = query.get('cursor')
  const list = hash('sha256', `pets ${status}`, 'base64url').slice(0, 8)
  const [belongsTo, after] = cursor ? JSON.parse(Buffer.from(cursor, 'base64url').toString()) : [list, 0]
  if (belongsTo !== list) return new Response('{"code":"invalid_cursor"}', { status: 400, headers })
  const rows = pageByStatus.all(status, after, limit + 1)
  const shown = rows.slice(0, limit)
  if (rows.length > limit) {
    query.set('cursor', Buffer.from(JSON.stringify([list, shown.at(-1)?.id])).toString('base64url'))
    headers.Link = `<${baseUrl}/pets?${query}>; rel="next"`
  }
  const body = shown.map((row) => ({ id: row.id, name: row.name, categoryId: row.category_id, status: row.status }))
  return new Response(JSON.stringify(body), { headers })
}

interface StockRow {
  status: string
  stock: number
  open: number
}
const locked = db.query<StockRow, [number]>(`SELECT status, (SELECT quantity FROM inventory WHERE pet_id = ?1) AS stock,
    (SELECT count(*) FROM (SELECT 1 FROM orders WHERE pet_id = ?1 AND complete = 0 LIMIT 2)) AS open FROM pets WHERE id = ?1`)
const insert = db.query<{ id: number }, [number, number, number, number]>(
  'INSERT INTO orders (key_id, pet_id, quantity, ship_date, complete, created_at) VALUES (?, ?, ?, NULL, 0, ?) RETURNING id',
)
const take = db.query('UPDATE inventory SET quantity = quantity - ?2 WHERE pet_id = ?1')
const move = db.query(
  "INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at) VALUES (?, ?, 'ordered', ?, NULL, ?)",
)
const note = db.query("INSERT INTO order_history (order_id, key_id, kind, changes, at) VALUES (?, ?, 'placed', ?, ?)")
const tell = db.query(`INSERT INTO events (tx, type, key_id, data, previous, at)
  VALUES (0, 'order.placed', ?1, ?2, NULL, ?5), (0, 'inventory.changed', NULL, ?3, ?4, ?5)`)
const [begin, commit] = [db.query('BEGIN IMMEDIATE'), db.query('COMMIT')]
const [savepoint, release, undo] = [db.query('SAVEPOINT step'), db.query('RELEASE step'), db.query('ROLLBACK TO step')]

interface Wanted {
  readonly key: Key
  readonly petId: number
  readonly quantity: number
}

/** Six statements: the pet's state, the order, the stock, the movement, the history, the events. A rejection is a string. */
function place({ key, petId, quantity }: Wanted): number | string {
  const now = Date.now()
  const found = locked.get(petId)
  if (!found) return 'unknown_pet'
  if (found.status !== 'available') return 'pet_not_available'
  if (found.stock < quantity) return 'insufficient_stock'
  const { id } = insert.get(key.id, petId, quantity, now) as { id: number }
  take.run(petId, quantity)
  move.run(petId, -quantity, id, now)
  const changes = { petId: { to: petId }, quantity: { to: quantity }, complete: { to: false } }
  note.run(id, key.id, JSON.stringify(changes), now)
  const placed = JSON.stringify({ id, petId, quantity, complete: false })
  const item = JSON.stringify({ petId, quantity: found.stock - quantity, status: found.status })
  tell.run(key.id, placed, item, JSON.stringify({ quantity: found.stock }), now)
  return id
}

let waiting: { wanted: Wanted; done: (placed: number | string) => void }[] = []

/** All waiting orders share one commit, each in a savepoint. */
function placeTogether(): void {
  const batch = waiting
  waiting = []
  begin.run()
  const results = batch.map(({ wanted }) => {
    savepoint.run()
    const placed = place(wanted)
    if (typeof placed === 'string') undo.run()
    release.run()
    return placed
  })
  commit.run()
  for (const [index, { done }] of batch.entries()) done(results[index] as number | string)
}

function soon(wanted: Wanted): Promise<number | string> {
  return new Promise((done) => {
    if (waiting.push({ wanted, done }) === 1) setImmediate(placeTogether)
  })
}

function atOnce(wanted: Wanted): number | string {
  begin.run()
  const placed = place(wanted)
  commit.run()
  return placed
}

async function order(
  request: Request,
  placing: (wanted: Wanted) => number | string | Promise<number | string>,
): Promise<Response> {
  const entered = enter(request)
  if (entered instanceof Response) return entered
  const { key, headers } = entered
  const { petId, quantity = 1, ...others } = (await request.json()) as { petId: unknown; quantity?: unknown }
  if (!Number.isSafeInteger(petId) || !Number.isSafeInteger(quantity) || Object.keys(others).length > 0) {
    return new Response('{"code":"validation_failed"}', { status: 400, headers })
  }
  const placed = await placing({ key, petId: petId as number, quantity: quantity as number })
  if (typeof placed === 'string') return new Response(`{"code":"${placed}"}`, { status: 409, headers })
  const text = JSON.stringify({ id: placed, petId, quantity, complete: false })
  headers.Location = `/store/orders/${placed}`
  headers.ETag = tagOf(text)
  return new Response(text, { status: 201, headers })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  routes: {
    '/pets': { GET: page },
    '/pets/:petId': { GET: pet },
    '/pets/:petId/profile': { GET: profile },
    '/store/orders': { POST: (request) => order(request, soon) },
    '/one-commit/store/orders': { POST: (request) => order(request, atOnce) },
    '/whole/pets/:petId': { GET: whole('getPet', pet) },
    '/whole/pets/:petId/profile': { GET: whole('getPetProfile', profile) },
    '/whole/store/orders': { POST: whole('placeOrder', (request) => order(request, soon)) },
  },
})
process.stdout.write(`The straight server is ready on port ${server.port}.\n`)
