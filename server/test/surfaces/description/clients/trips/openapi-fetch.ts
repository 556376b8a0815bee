import createClient from 'openapi-fetch'
import type { paths } from '../generated/openapi-fetch/schema.ts'
import { namesOfPets, nextCursor, petsOnPage, type Trip } from '../trip.ts'

export const trip: Trip = async (baseUrl, apiKey) => {
  const client = createClient<paths>({ baseUrl, headers: { 'X-API-Key': apiKey } })

  const category = await client.POST('/categories', { body: { name: 'Dogs', description: 'Loyal.' } })
  if (category.error) throw new Error(category.error.message)
  const categoryId = category.data.id

  async function register(name: string, status: 'available' | 'sold'): Promise<number> {
    const pet = await client.POST('/pets', { body: { name, categoryId, status } })
    if (pet.error) throw new Error(pet.error.message)
    return pet.data.id
  }
  const first = await register(namesOfPets[0], 'available')
  const ids = [first, await register('Sold', 'sold')]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, 'available'))

  const order = await client.POST('/store/orders', {
    body: { petId: first, shipDate: '2027-01-31T13:00:00+01:00' },
    params: { header: { 'Idempotency-Key': 'openapi-fetch' } },
  })
  if (order.error) throw new Error(order.error.message)

  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await client.GET('/pets', {
      params: {
        query: {
          categoryId: [categoryId],
          ids,
          status: ['available', 'pending'],
          sort: 'name',
          limit: petsOnPage,
          ...(cursor !== undefined && { cursor }),
        },
      },
    })
    if (page.error) throw new Error(page.error.message)
    pages.push(page.data.map((pet) => pet.name))
    cursor = nextCursor(page.response.headers)
  } while (cursor !== undefined)

  const { error } = await client.POST('/store/orders', { body: { petId: ids[2] ?? 0, quantity: 5 } })
  switch (error?.code) {
    case 'insufficient_stock':
      return { orderId: order.data.id, pages, rejection: `Too many. ${error.message}` }
    default:
      throw new Error(error?.message ?? 'Five were sold where one was in stock.')
  }
}
