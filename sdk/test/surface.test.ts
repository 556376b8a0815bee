import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../server/test/harness/service.ts'
import { type Deprecated, headersOf, PetStore, PetStoreError } from '../src/index.ts'

const service = await startService()
afterAll(() => service.stop())

const notices: Deprecated[] = []
const petstore = new PetStore({
  baseUrl: `${service.url}/`,
  apiKey: service.adminSecret,
  now: service.clock.now,
  onDeprecated: (notice) => notices.push(notice),
})

const failure = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error) => error,
  )

/** A category with this many pets. */
async function shelf(size: number) {
  const { id: categoryId } = await petstore.categories.create({ name: 'Shelf' })
  const pets = await petstore.pets.batch(
    Array.from({ length: size }, (_, index) => ({ name: `Pet ${index}`, categoryId })),
  )
  return { categoryId, ids: pets.map(({ id }) => id) }
}

test('a list gives its items one by one over all pages, whatever address the service has for itself', async () => {
  const { categoryId, ids } = await shelf(7)
  const found: number[] = []
  for await (const { id } of petstore.pets.list({ categoryId, limit: 3, status: 'available' })) found.push(id)
  expect(found).toEqual(ids)
})

test('a list yields its pages, and continues after an earlier page', async () => {
  const { categoryId, ids } = await shelf(5)
  const query = { categoryId: [categoryId], limit: 2 }
  const pages = await Array.fromAsync(petstore.pets.list(query).pages())
  expect(pages.map(({ items }) => items.map(({ id }) => id))).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)])
  const { next } = await petstore.pets.list(query).firstPage()
  const rest = await petstore.pets.list({ ...query, cursor: next as string }).toArray()
  expect(rest.map(({ id }) => id)).toEqual(ids.slice(2))
  expect(await petstore.pets.list(query).toArray(3)).toHaveLength(3)
})

test('a list that is awaited has its first page, and goes on with the others', async () => {
  const { categoryId, ids } = await shelf(5)
  const loaded = await petstore.pets.list({ categoryId, limit: 2 })
  expect([loaded.items.map(({ id }) => id), typeof loaded.next]).toEqual([ids.slice(0, 2), 'string'])
  expect((await loaded.toArray()).map(({ id }) => id)).toEqual(ids)
  expect(Object.keys(await petstore.pets.list({ categoryId }))).toEqual(['items'])
  const failed = Promise.resolve(petstore.pets.list({ cursor: 'nowhere' }))
  await expect(failed).rejects.toMatchObject({ code: 'invalid_cursor' })
})

test('a list reads no page before it is needed', async () => {
  const { categoryId } = await shelf(4)
  const requested: string[] = []
  const recording = new PetStore({
    baseUrl: service.url,
    apiKey: service.adminSecret,
    fetch: (url, init) => {
      requested.push(url)
      return fetch(url, init)
    },
  })
  for await (const { name } of recording.pets.list({ categoryId, limit: 2 })) if (name === 'Pet 1') break
  expect(requested).toHaveLength(1)
})

test('pets are created, read, changed, replaced, counted and deleted', async () => {
  const { categoryId } = await shelf(1)
  const pet = await petstore.pets.create({ name: 'Rex', categoryId })
  expect((await petstore.pets.profile(pet.id)).category.name).toBe('Shelf')
  expect((await petstore.pets.profiles({ categoryId, q: 'rex' }).toArray())[0]?.id).toBe(pet.id)
  expect((await petstore.pets.update(pet.id, { name: 'Max' })).name).toBe('Max')
  expect((await petstore.pets.replace(pet.id, { name: 'Ace', categoryId })).name).toBe('Ace')
  expect((await petstore.pets.counts({ categoryId })).total).toBe(2)
  await petstore.pets.delete(pet.id)
  expect((await petstore.pets.counts({ categoryId })).total).toBe(1)
})

test('categories are created, read, changed, replaced, listed and deleted', async () => {
  const category = await petstore.categories.create({ name: 'Newts' })
  await petstore.categories.update(category.id, { description: 'Wet.' })
  expect(await petstore.categories.get(category.id)).toMatchObject({ name: 'Newts', description: 'Wet.' })
  await petstore.categories.replace(category.id, { name: 'Efts' })
  expect(await petstore.categories.list({ q: 'efts' }).toArray()).toMatchObject([{ id: category.id }])
  await petstore.categories.delete(category.id)
  expect(await failure(petstore.categories.get(category.id))).toMatchObject({ code: 'category_not_found' })
})

test('orders are placed, read, changed, listed and cancelled, and have a history', async () => {
  const { ids } = await shelf(1)
  const petId = ids[0] as number
  const { orders } = petstore.store
  const order = await orders.place({ petId })
  expect(await orders.get(order.id)).toEqual(order)
  await orders.update(order.id, { shipDate: '2027-01-31T12:00:00Z' })
  expect(await orders.list({ petId }).toArray()).toMatchObject([{ id: order.id, shipDate: '2027-01-31T12:00:00.000Z' }])
  await orders.cancel(order.id)
  const history = await orders.history(order.id).toArray()
  expect(history.map(({ kind }) => kind)).toEqual(['cancelled', 'updated', 'placed'])
})

test('stock is set, adjusted, listed and removed, and every change is a stock movement', async () => {
  const { ids } = await shelf(2)
  const [petId, other] = ids as [number, number]
  const { inventory } = petstore.store
  expect((await inventory.set(petId, { quantity: 5 })).quantity).toBe(5)
  expect(await failure(inventory.set(petId, { quantity: 6 }, { onlyNew: true }))).toMatchObject({
    code: 'precondition_failed',
  })
  expect((await inventory.adjust(petId, { delta: -2, reason: 'given away' })).quantity).toBe(3)
  const many = await inventory.setMany([
    { petId, quantity: 9 },
    { petId: other, quantity: 8 },
  ])
  expect(many.map(({ quantity }) => quantity)).toEqual([9, 8])
  expect((await inventory.movements(petId).toArray()).map(({ delta }) => delta)).toEqual([6, -2, 4, 1])
  await inventory.delete(petId)
  expect(await failure(inventory.get(petId))).toMatchObject({ code: 'inventory_not_found' })
  expect((await inventory.list({ maxQuantity: 8 }).toArray()).map((item) => item.petId)).toContain(other)
})

test('the settings of the shop are read, and changed unless someone else did', async () => {
  const before = await petstore.store.settings.get()
  expect(before.lowStockMax).toBe(2)
  expect((await petstore.store.settings.update({ lowStockMax: 4 }, { ifMatch: before })).lowStockMax).toBe(4)
  const late = petstore.store.settings.update({ lowStockMax: 9 }, { ifMatch: before })
  expect(await failure(late)).toMatchObject({ code: 'precondition_failed' })
  expect((await petstore.store.summary()).lowStockMax).toBe(4)
})

test('keys are created, read, changed, rotated and revoked; usage is counted', async () => {
  const key = await petstore.keys.create({ name: 'App', plan: 'free', preset: 'client' })
  expect(key.secret).toStartWith('ps_')
  expect((await petstore.keys.update(key.id, { name: 'My app' })).name).toBe('My app')
  expect((await petstore.keys.rotate(key.id, { graceSeconds: 0 })).secret).not.toBe(key.secret)
  expect((await petstore.keys.list({ q: 'my app' }).toArray()).map(({ id }) => id)).toEqual([key.id])
  expect((await petstore.keys.get(key.id)).plan).toBe('free')
  expect(await failure(petstore.keys.unban(key.id))).toBeUndefined()
  await petstore.keys.revoke(key.id)
  expect((await petstore.keys.get(key.id)).revokedAt).toBeString()
  expect((await petstore.keys.list({ revoked: true }).toArray()).map(({ id }) => id)).toEqual([key.id])
  expect(Array.isArray(await petstore.usage.get({ per: 'hour' }))).toBe(true)
})

test('an error has a code that narrows its type, and all fields of the response', async () => {
  const { ids } = await shelf(1)
  try {
    await petstore.store.orders.place({ petId: ids[0] as number, quantity: 5 })
    expect.unreachable()
  } catch (error) {
    if (!(error instanceof PetStoreError)) throw error
    if (error.code !== 'insufficient_stock') throw error
    const code: 'insufficient_stock' = error.code
    expect(code).toBe('insufficient_stock')
    expect(error).toMatchObject({ name: 'ConflictError', status: 409 })
    expect(error.message).toContain('5 were ordered')
    expect(error.requestId).toBeString()
    expect(error.docs).toEndWith('/errors#insufficient_stock')
  }
})

test('an invalid request gets every fault', async () => {
  const error = await failure(petstore.pets.create({ name: '', categoryId: 1.5 }))
  expect(error.code).toBe('validation_failed')
  expect(error.errors.map(({ path }: { path: string }) => path)).toEqual(['/name', '/categoryId'])
})

test('a response from something else is an error that shows it', async () => {
  const html = { headers: { 'Content-Type': 'text/html' } }
  const elsewhere = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<h1>Welcome</h1>', html) })
  const lost = new PetStore({ baseUrl: elsewhere.url.href, apiKey: service.adminSecret })
  const error = await failure(lost.pets.counts())
  await elsewhere.stop(true)
  expect(error).toMatchObject({ code: 'unexpected_response', status: 200 })
  expect(error.message).toContain('<h1>Welcome</h1>')
})

test('a change is rejected if the resource has changed since ifMatch was read', async () => {
  const { ids } = await shelf(1)
  const read = await petstore.pets.profile(ids[0] as number)
  expect(headersOf(read)?.get('ETag')).toBeString()
  await petstore.pets.update(read.id, { name: 'First' }, { ifMatch: read })
  expect(await failure(petstore.pets.update(read.id, { name: 'Second' }, { ifMatch: read }))).toMatchObject({
    code: 'precondition_failed',
    status: 412,
  })
  const copy = { ...read }
  expect(await failure(petstore.pets.update(read.id, { name: 'Third' }, { ifMatch: copy }))).toBeInstanceOf(TypeError)
  const [item] = await petstore.pets.list({ ids: ids }).toArray()
  // @ts-expect-error: an item of a list has no ETag
  expect(await failure(petstore.pets.update(read.id, { name: 'Fourth' }, { ifMatch: item ?? {} }))).toBeInstanceOf(
    TypeError,
  )
})

test('a known result that is still current is returned as it is', async () => {
  const category = await petstore.categories.create({ name: 'Toads' })
  const known = await petstore.categories.get(category.id)
  expect(await petstore.categories.get(category.id, { known })).toBe(known)
  await petstore.categories.update(category.id, { name: 'Frogs' })
  const fresh = await petstore.categories.get(category.id, { known })
  expect(fresh).not.toBe(known)
  expect(fresh.name).toBe('Frogs')
})

test('a deprecated operation is reported once, with its sunset and successor', async () => {
  const { ids } = await shelf(2)
  for (const id of ids) await petstore.pets.get(id)
  expect(notices).toHaveLength(1)
  expect(notices[0]).toMatchObject({ operation: 'GET /pets/{petId}', sunset: new Date('2027-06-30T23:59:59Z') })
  expect(notices[0]?.since).toEqual(new Date(1793491200 * 1000))
  expect(notices[0]?.successor).toEndWith(`/pets/${ids[0]}/profile`)
})
