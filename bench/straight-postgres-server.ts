// The hand-written handlers on PostgreSQL with Bun's client: a read is one statement, and so is an order. The windows are counted in
// the database, as several nodes must, by the function that the service uses: all concurrent calls in one statement, in parallel with
// the work. Under /memory they are counted in this process, which several nodes could not do. Under
// /steps an order is decided in the program, as in the service: lock the pet, read it, write.
import { SQL } from 'bun'
import { deprecated, enter, headersFor, type Key, keys, notFound, tagged, tagOf } from './straight-entry.ts'

const { DATABASE_URL = '', PORT } = process.env
const sql = new SQL(DATABASE_URL, { max: 10 })
const counters = new SQL(DATABASE_URL, { max: 1 })

interface Entered {
  readonly key: Key
  readonly headers: Record<string, string>
}

interface Waiting {
  readonly request: Request
  readonly key: Key
  readonly done: (entered: Entered | Response) => void
}

let waiting: Waiting[] = []
let counting = false

async function countAll(): Promise<void> {
  counting = true
  while (waiting.length > 0) {
    const calls = waiting
    waiting = []
    const now = Date.now()
    const [{ key }] = calls as [Waiting]
    const [row] =
      await counters`SELECT minute_before, day_before, admitted FROM petstore_admit(ARRAY[${`key:${key.id}`}]::text[],
      ARRAY[${now - (now % 60_000)}::bigint], ARRAY[${now - (now % 86_400_000)}::bigint], ARRAY[${key.perMinute}::bigint],
      ARRAY[${key.perDay}::bigint], ARRAY[${calls.length}::bigint], ARRAY[1::bigint],
      ARRAY[${now}::bigint], ARRAY[${now}::bigint], ARRAY[0::bigint], ARRAY[0::bigint])`
    const [minute, day, admitted] = [Number(row.minute_before), Number(row.day_before), Number(row.admitted)]
    for (const [index, { request, done }] of calls.entries()) {
      if (index >= admitted) done(new Response('{"code":"rate_limited"}', { status: 429 }))
      else done({ key, headers: headersFor(request, key, now, minute + index + 1, day + index + 1) })
    }
  }
  counting = false
}

function enterShared(request: Request): Promise<Entered | Response> {
  const key = keys.get(request.headers.get('x-api-key') ?? '')
  if (!key) return Promise.resolve(new Response('{"code":"invalid_api_key"}', { status: 401 }))
  return new Promise((done) => {
    if (waiting.push({ request, key, done }) === 1 && !counting) setImmediate(countAll)
  })
}

type Enter = (request: Request) => Promise<Entered | Response> | Entered | Response

const pet = (entering: Enter) => async (request: Request & { params: { petId: string } }) => {
  const { petId } = request.params
  const [entered, [row]] = await Promise.all([
    entering(request),
    sql`SELECT id, name, category_id, status FROM pets WHERE id = ${Number(petId)}`,
  ])
  if (entered instanceof Response) return entered
  const { headers } = entered
  deprecated(headers, petId)
  if (!row) return notFound(headers)
  const text = JSON.stringify({
    id: Number(row.id),
    name: row.name,
    categoryId: Number(row.category_id),
    status: row.status,
  })
  return tagged(request, text, tagOf(text), headers)
}

/** Stock, order, movement, history and events; no row if the pet is not available or has too little stock. */
const place = (keyId: number, petId: number, quantity: number, now: number, changes: string) => sql`
  WITH taken AS (
    UPDATE inventory SET quantity = quantity - ${quantity} WHERE pet_id = ${petId} AND quantity >= ${quantity}
      AND EXISTS (SELECT 1 FROM pets WHERE id = ${petId} AND status = 'available') RETURNING quantity
  ), placed AS (
    INSERT INTO orders (key_id, pet_id, quantity, ship_date, complete, created_at)
      SELECT ${keyId}::bigint, ${petId}::bigint, ${quantity}::bigint, NULL, 0, ${now}::bigint FROM taken RETURNING id
  ), moved AS (
    INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at)
      SELECT ${petId}::bigint, -${quantity}::bigint, 'ordered', id, NULL, ${now}::bigint FROM placed
  ), noted AS (
    INSERT INTO order_history (order_id, key_id, kind, changes, at)
      SELECT id, ${keyId}::bigint, 'placed', ${changes}::text, ${now}::bigint FROM placed
  ), told AS (
    INSERT INTO events (tx, type, key_id, data, previous, at)
      SELECT pg_current_xact_id()::text::bigint, 'order.placed', ${keyId}::bigint,
        '{"id":' || id || ',"petId":' || ${petId}::bigint || ',"quantity":' || ${quantity}::bigint || ',"complete":false}', NULL, ${now}::bigint
        FROM placed
      UNION ALL SELECT pg_current_xact_id()::text::bigint, 'inventory.changed', NULL,
        '{"petId":' || ${petId}::bigint || ',"quantity":' || quantity || ',"status":"available"}',
        '{"quantity":' || quantity + ${quantity}::bigint || '}', ${now}::bigint FROM taken
  ) SELECT id FROM placed`

type Place = typeof place

/** The same, decided here between a lock and the writes. */
const placeInSteps: (...values: Parameters<Place>) => Promise<{ id: number }[]> = (
  keyId,
  petId,
  quantity,
  now,
  changes,
) =>
  sql.begin(async (tx) => {
    await tx`SELECT 1 FROM pets WHERE id = ${petId} FOR UPDATE`
    const [pet] = await tx`SELECT status, (SELECT quantity FROM inventory WHERE pet_id = pets.id) AS quantity,
      nextval('orders_id_seq') AS id FROM pets WHERE id = ${petId}`
    if (pet?.status !== 'available' || Number(pet.quantity) < quantity) return []
    const [id, left] = [Number(pet.id), Number(pet.quantity) - quantity]
    const placed = JSON.stringify({ id, petId, quantity, complete: false })
    const stock = JSON.stringify({ petId, quantity: left, status: 'available' })
    await tx`WITH taken AS (
        UPDATE inventory SET quantity = ${left} WHERE pet_id = ${petId}
      ), ordered AS (
        INSERT INTO orders (id, key_id, pet_id, quantity, ship_date, complete, created_at)
          VALUES (${id}, ${keyId}, ${petId}, ${quantity}, NULL, 0, ${now})
      ), moved AS (
        INSERT INTO stock_movements (pet_id, delta, cause, order_id, reason, at)
          VALUES (${petId}, ${-quantity}, 'ordered', ${id}, NULL, ${now})
      ), noted AS (
        INSERT INTO order_history (order_id, key_id, kind, changes, at) VALUES (${id}, ${keyId}, 'placed', ${changes}, ${now})
      ) INSERT INTO events (tx, type, key_id, data, previous, at)
          VALUES (pg_current_xact_id()::text::bigint, 'order.placed', ${keyId}, ${placed}, NULL, ${now}),
            (pg_current_xact_id()::text::bigint, 'inventory.changed', NULL, ${stock},
              ${JSON.stringify({ quantity: left + quantity })}, ${now})`
    return [{ id }]
  })

const order = (entering: Enter, placing: typeof placeInSteps | Place) => async (request: Request) => {
  const entered = await entering(request)
  if (entered instanceof Response) return entered
  const { key, headers } = entered
  const { petId, quantity = 1, ...others } = (await request.json()) as { petId: unknown; quantity?: unknown }
  if (!Number.isSafeInteger(petId) || !Number.isSafeInteger(quantity) || Object.keys(others).length > 0) {
    return new Response('{"code":"validation_failed"}', { status: 400, headers })
  }
  const changes = JSON.stringify({ petId: { to: petId }, quantity: { to: quantity }, complete: { to: false } })
  const [placed] = await placing(key.id, petId as number, quantity as number, Date.now(), changes)
  if (!placed) return new Response('{"code":"insufficient_stock"}', { status: 409, headers })
  const id = Number(placed.id)
  const text = JSON.stringify({ id, petId, quantity, complete: false })
  headers.Location = `/store/orders/${id}`
  headers.ETag = tagOf(text)
  return new Response(text, { status: 201, headers })
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(PORT),
  routes: {
    '/pets/:petId': { GET: pet(enterShared) },
    '/store/orders': { POST: order(enterShared, place) },
    '/steps/store/orders': { POST: order(enterShared, placeInSteps) },
    '/memory/pets/:petId': { GET: pet(enter) },
    '/memory/store/orders': { POST: order(enter, place) },
  },
})
process.stdout.write(`The straight server is ready on port ${server.port}.\n`)
