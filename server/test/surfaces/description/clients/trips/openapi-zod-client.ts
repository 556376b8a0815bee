import { isErrorFromAlias } from '@zodios/core'
import { createApiClient } from '../generated/openapi-zod-client/client.ts'
import { namesOfPets, type Trip } from '../trip.ts'

export const trip: Trip = async (baseUrl, apiKey) => {
  const client = createApiClient(baseUrl, { axiosConfig: { headers: { 'X-API-Key': apiKey } } })

  const { id: categoryId } = await client.createCategory({ name: 'Dogs', description: 'Loyal.' })

  const register = async (name: string, status: 'available' | 'sold'): Promise<number> =>
    (await client.createPet({ name, categoryId, status })).id
  const first = await register(namesOfPets[0], 'available')
  const ids = [first, await register('Sold', 'sold')]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, 'available'))

  const order = await client.placeOrder(
    { petId: first, shipDate: '2027-01-31T13:00:00+01:00' },
    { headers: { 'Idempotency-Key': 'zod' } },
  )

  // Its calls return no headers, so it can read only one page. It writes lists as `ids[]=1&ids[]=2`.
  const pets = await client.listPets({
    queries: { status: ['available', 'pending'], categoryId: [categoryId], ids, sort: 'name', limit: 100 },
  })
  const pages = [pets.map((pet) => pet.name)]

  try {
    await client.placeOrder({ petId: ids[2] ?? 0, quantity: 5 })
  } catch (error) {
    if (!isErrorFromAlias(client.api, 'placeOrder', error)) throw error
    const failure = error.response.data
    switch (failure.code) {
      case 'insufficient_stock':
        return { orderId: order.id, pages, rejection: `Too many. ${failure.message}` }
      default:
        throw new Error(failure.message)
    }
  }
  throw new Error('Five were sold where one was in stock.')
}
