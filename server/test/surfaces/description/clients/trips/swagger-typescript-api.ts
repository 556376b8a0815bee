import { Api, type Error as Failure, type HttpResponse, PetStatus } from '../generated/swagger-typescript-api/client.ts'
import { namesOfPets, nextCursor, petsOnPage, type Trip } from '../trip.ts'

export const trip: Trip = async (baseUrl, apiKey) => {
  const { pets, categories, store } = new Api({ baseUrl, baseApiParams: { headers: { 'X-API-Key': apiKey } } })

  const category = await categories.createCategory({ name: 'Dogs', description: 'Loyal.' })
  const categoryId = category.data.id

  const register = async (name: string, status: PetStatus): Promise<number> =>
    (await pets.createPet({ name, categoryId, status })).data.id
  const first = await register(namesOfPets[0], PetStatus.Available)
  const ids = [first, await register('Sold', PetStatus.Sold)]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, PetStatus.Available))

  // It has no header parameters: a caller adds them to a call.
  const order = await store.placeOrder(
    { petId: first, shipDate: '2027-01-31T13:00:00+01:00' },
    { headers: { 'Idempotency-Key': 'swagger-typescript-api' } },
  )

  // It reads no body of a success that the description refers to as `#/components/responses/…`.
  const placed = await store.getOrder(order.data.id)

  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await pets.listPets({
      categoryId: [categoryId],
      ids,
      status: [PetStatus.Available, PetStatus.Pending],
      sort: 'name',
      limit: petsOnPage,
      ...(cursor !== undefined && { cursor }),
    })
    pages.push(page.data.map((pet) => pet.name))
    cursor = nextCursor(page.headers)
  } while (cursor !== undefined)

  try {
    await store.placeOrder({ petId: ids[2] ?? 0, quantity: 5 })
  } catch (thrown) {
    const { error } = thrown as HttpResponse<unknown, Failure>
    switch (error.code) {
      case 'insufficient_stock':
        return { orderId: placed.data.id, pages, rejection: `Too many. ${error.message}` }
      default:
        throw new Error(error.message)
    }
  }
  throw new Error('Five were sold where one was in stock.')
}
