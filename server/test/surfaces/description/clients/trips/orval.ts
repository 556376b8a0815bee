import { createCategory, createPet, listPets, type PetStatus, placeOrder } from '../generated/orval/client.ts'
import { namesOfPets, nextCursor, petsOnPage, type Trip } from '../trip.ts'

export const trip: Trip = async (_, apiKey) => {
  const headers = { 'X-API-Key': apiKey }

  const category = await createCategory({ name: 'Dogs', description: 'Loyal.' }, { headers })
  if (category.status !== 201) throw new Error(category.data.message)
  const categoryId = category.data.id

  async function register(name: string, status: PetStatus): Promise<number> {
    const pet = await createPet({ name, categoryId, status }, { headers })
    if (pet.status !== 201) throw new Error(pet.data.message)
    return pet.data.id
  }
  const first = await register(namesOfPets[0], 'available')
  const ids = [first, await register('Sold', 'sold')]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, 'available'))

  const order = await placeOrder(
    { petId: first, shipDate: '2027-01-31T13:00:00+01:00' },
    { headers: { ...headers, 'Idempotency-Key': 'orval' } },
  )
  if (order.status !== 201) throw new Error(order.data.message)

  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await listPets(
      {
        categoryId: [categoryId],
        ids,
        status: ['available', 'pending'],
        sort: 'name',
        limit: petsOnPage,
        ...(cursor !== undefined && { cursor }),
      },
      { headers },
    )
    if (page.status !== 200) throw new Error(page.data.message)
    pages.push(page.data.map((pet) => pet.name))
    cursor = nextCursor(page.headers)
  } while (cursor !== undefined)

  const rejected = await placeOrder({ petId: ids[2] ?? 0, quantity: 5 }, { headers })
  if (rejected.status === 201) throw new Error('Five were sold where one was in stock.')
  switch (rejected.data.code) {
    case 'insufficient_stock':
      return { orderId: order.data.id, pages, rejection: `Too many. ${rejected.data.message}` }
    default:
      throw new Error(rejected.data.message)
  }
}
