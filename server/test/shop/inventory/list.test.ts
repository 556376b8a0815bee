import { afterEach, beforeEach, expect, test } from 'bun:test'
import { everyPage } from '../../harness/every-page.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'

// Each test has a separate shop, because these lists show everything.
let service: Service
let staff: Client
beforeEach(async () => {
  service = await startService()
  staff = await service.newClient({ preset: 'staff' })
})
afterEach(() => service.stop())

test('the inventory is listed by pet id, filtered and in pages', async () => {
  const counts = [0, 1, 5, 6, 0, 20, 3]
  const pets: { petId: number; quantity: number; status: string }[] = []
  for (const quantity of counts) {
    const petId = await staff.newPet(quantity)
    pets.push({ petId, quantity, status: quantity > 0 ? 'available' : 'sold' })
  }
  const heldPet = pets[3] as (typeof pets)[number]
  await staff.patch(`/pets/${heldPet.petId}`, { status: 'pending' })
  heldPet.status = 'pending'

  const list = async (query: string) => (await staff.get(`/store/inventory?${query}`)).body
  expect(await list('limit=100')).toEqual(pets)
  expect(await list('status=sold')).toEqual(pets.filter(({ status }) => status === 'sold'))
  expect(await list('status=sold&status=pending')).toEqual(pets.filter(({ status }) => status !== 'available'))
  expect(await list('maxQuantity=5')).toEqual(pets.filter(({ quantity }) => quantity <= 5))
  expect(await list('maxQuantity=0')).toEqual(pets.filter(({ quantity }) => quantity === 0))
  expect(await list('minQuantity=1&maxQuantity=5')).toEqual(
    pets.filter(({ quantity }) => quantity >= 1 && quantity <= 5),
  )
  expect(await list('maxQuantity=5&status=available')).toEqual(
    pets.filter(({ quantity, status }) => quantity <= 5 && status === 'available'),
  )
  for (const limit of [1, 2, 3, 7]) {
    expect(await everyPage(staff, `/store/inventory?limit=${limit}`)).toEqual(pets)
    expect(await everyPage(staff, `/store/inventory?limit=${limit}&status=available`)).toEqual(
      pets.filter(({ status }) => status === 'available'),
    )
  }
})

test('no item is skipped or repeated while others are created and deleted', async () => {
  const first = await staff.newPet()
  const gone = await staff.newPet()
  const last = await staff.newPet()
  const seen: number[] = []
  let path: string | undefined = '/store/inventory?limit=1'
  while (path !== undefined) {
    const response = await staff.get(path)
    for (const { petId } of response.body) {
      seen.push(petId)
      if (petId === first) await staff.delete(`/pets/${gone}`)
      if (petId === last && seen.at(-2) === first) await staff.newPet()
    }
    path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect(seen).toContain(first)
  expect(seen).toContain(last)
  expect(seen).not.toContain(gone)
})
