import { client } from '../generated/hey-api/client.gen.ts'
import { createCategory, createPet, listPets, placeOrder } from '../generated/hey-api/sdk.gen.ts'
import type { PetStatus } from '../generated/hey-api/types.gen.ts'
import { namesOfPets, nextCursor, petsOnPage, type Trip } from '../trip.ts'

export const trip: Trip = async (baseUrl, apiKey) => {
  client.setConfig({ baseUrl, auth: apiKey })

  const category = await createCategory({ body: { name: 'Dogs', description: 'Loyal.' } })
  if (category.error) throw new Error(category.error.message)
  const categoryId = category.data.id

  async function register(name: string, status: PetStatus): Promise<number> {
    const pet = await createPet({ body: { name, categoryId, status } })
    if (pet.error) throw new Error(pet.error.message)
    return pet.data.id
  }
  const first = await register(namesOfPets[0], 'available')
  const ids = [first, await register('Sold', 'sold')]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, 'available'))

  const order = await placeOrder({
    body: { petId: first, shipDate: '2027-01-31T13:00:00+01:00' },
    headers: { 'Idempotency-Key': 'hey-api' },
  })
  if (order.error) throw new Error(order.error.message)

  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await listPets({
      query: {
        categoryId: [categoryId],
        ids,
        status: ['available', 'pending'],
        sort: 'name',
        limit: petsOnPage,
        cursor,
      },
    })
    if (page.error) throw new Error(page.error.message)
    pages.push(page.data.map((pet) => pet.name))
    cursor = nextCursor(page.response?.headers)
  } while (cursor !== undefined)

  const { error } = await placeOrder({ body: { petId: ids[2] ?? 0, quantity: 5 } })
  switch (error?.code) {
    case 'insufficient_stock':
      return { orderId: order.data.id, pages, rejection: `Too many. ${error.message}` }
    default:
      throw new Error(error?.message ?? 'Five were sold where one was in stock.')
  }
}
