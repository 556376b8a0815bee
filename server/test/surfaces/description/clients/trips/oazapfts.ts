import {
  createCategory,
  createPet,
  defaults,
  listPets,
  type PetStatus,
  placeOrder,
} from '../generated/oazapfts/client.ts'
import { namesOfPets, nextCursor, petsOnPage, successOf, type Trip } from '../trip.ts'

export const trip: Trip = async (baseUrl, apiKey) => {
  defaults.baseUrl = baseUrl
  defaults.headers = { 'X-API-Key': apiKey }

  const category = await createCategory({ name: 'Dogs', description: 'Loyal.' })
  const { id: categoryId } = successOf(category.data)

  async function register(name: string, status: PetStatus): Promise<number> {
    const pet = await createPet({ name, categoryId, status })
    return successOf(pet.data).id
  }
  const first = await register(namesOfPets[0], 'available')
  const ids = [first, await register('Sold', 'sold')]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, 'available'))

  const order = await placeOrder(
    { petId: first, shipDate: '2027-01-31T13:00:00+01:00' },
    { idempotencyKey: 'oazapfts' },
  )
  const { id: orderId } = successOf(order.data)

  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await listPets({
      categoryId: [categoryId],
      ids,
      status: ['available', 'pending'],
      sort: 'name',
      limit: petsOnPage,
      cursor,
    })
    pages.push(successOf(page.data).map((pet) => pet.name))
    cursor = nextCursor(page.headers)
  } while (cursor !== undefined)

  const rejected = await placeOrder({ petId: ids[2] ?? 0, quantity: 5 })
  if (!('code' in rejected.data)) throw new Error('Five were sold where one was in stock.')
  switch (rejected.data.code) {
    case 'insufficient_stock':
      return { orderId, pages, rejection: `Too many. ${rejected.data.message}` }
    default:
      throw new Error(rejected.data.message)
  }
}
