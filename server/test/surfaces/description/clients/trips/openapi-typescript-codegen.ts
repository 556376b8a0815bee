import {
  ApiError,
  CatalogueService,
  CategoriesService,
  ErrorCode,
  type Error as Failure,
  OpenAPI,
  OrdersService,
  PetStatus,
} from '../generated/openapi-typescript-codegen/index.ts'
import { namesOfPets, successOf, type Trip } from '../trip.ts'

export const trip: Trip = async (baseUrl, apiKey) => {
  OpenAPI.BASE = baseUrl
  OpenAPI.TOKEN = apiKey

  const category = await CategoriesService.createCategory({ name: 'Dogs', description: 'Loyal.' })
  const { id: categoryId } = successOf(category)

  const register = async (name: string, status: PetStatus): Promise<number> =>
    successOf(await CatalogueService.createPet({ name, categoryId, status })).id
  const first = await register(namesOfPets[0], PetStatus.AVAILABLE)
  const ids = [first, await register('Sold', PetStatus.SOLD)]
  for (const name of namesOfPets.slice(1)) ids.push(await register(name, PetStatus.AVAILABLE))

  const order = await OrdersService.placeOrder({ petId: first, shipDate: '2027-01-31T13:00:00+01:00' }, 'codegen')

  // It writes every list as repeated parameters, even `ids`, and its calls return no headers, so it can read only one page.
  const statuses = [PetStatus.AVAILABLE, PetStatus.PENDING]
  const pets = await CatalogueService.listPets(statuses, [categoryId], ids, undefined, 'name', 100)
  const pages = [successOf(pets).map((pet) => pet.name)]

  try {
    await OrdersService.placeOrder({ petId: ids[2] ?? 0, quantity: 5 })
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const failure: Failure = error.body
    switch (failure.code) {
      case ErrorCode.INSUFFICIENT_STOCK:
        return { orderId: successOf(order).id, pages, rejection: `Too many. ${failure.message}` }
      default:
        throw new Error(failure.message)
    }
  }
  throw new Error('Five were sold where one was in stock.')
}
