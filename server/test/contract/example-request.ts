import type { Client, Service } from '../harness/service.ts'
import type { DescribedOperation } from './checker.ts'

/** Creates resources for an operation, new ones each time so that tests do not affect each other. */
export type Ids = Readonly<Record<string, number>>

export async function newIds(api: Client): Promise<Ids> {
  const petId = await api.newPet(5)
  const { body: pet } = await api.get(`/pets/${petId}/profile`)
  const { body: order } = await api.post('/store/orders', { petId })
  const { body: key } = await api.post('/keys', { name: 'Example', plan: 'free', preset: 'reader' })
  const webhook = await newWebhook(api)
  const { body: delivery } = await api.post(`/webhooks/${webhook.id}/ping`)
  return {
    petId,
    categoryId: pet.categoryId,
    orderId: order.id,
    keyId: key.id,
    webhookId: webhook.id,
    deliveryId: delivery.id,
  }
}

/** New resources for the example of an operation. A category with pets and a pet with open orders cannot be deleted; these can. */
export async function newIdsFor({ id }: DescribedOperation, api: Client): Promise<Ids> {
  const ids = await newIds(api)
  if (id === 'deletePet') await api.delete(`/store/orders/${ids.orderId}`)
  return id === 'deleteCategory' ? { ...ids, categoryId: await api.newCategory() } : ids
}

/** A key may have 20 webhooks, so the oldest is deleted first. */
async function newWebhook(api: Client): Promise<{ id: number }> {
  const { body: there } = await api.get('/webhooks?limit=100')
  if (there.length >= 15) await api.delete(`/webhooks/${there[0].id}`)
  return (await api.post('/webhooks', { url: 'https://shop.example/hooks', events: ['key.*'] })).body
}

/** A well-formed id that nothing has. */
const unknownId = 2_000_000_000

/** The path of an operation with ids instead of its parameters. */
export const pathOf = ({ path }: DescribedOperation, ids: Ids): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? unknownId))

export const pathOfNothing = (operation: DescribedOperation): string => pathOf(operation, {})

/** The example body of the description, with ids that exist. */
export function bodyOf({ exampleBody }: DescribedOperation, ids: Ids): Fields | Fields[] | undefined {
  const withIds = (example: Fields): Fields =>
    Object.fromEntries(Object.entries(example).map(([name, value]) => [name, ids[name] ?? value]))
  return Array.isArray(exampleBody) ? exampleBody.map(withIds) : exampleBody && withIds(exampleBody)
}

type Fields = Record<string, unknown>

export const declares = ({ spec }: DescribedOperation, status: number): boolean => status in spec.responses

/** A client whose key has all scopes and no practical limit. */
export const newAdministrator = (service: Service): Promise<Client> => service.newClient({ preset: 'admin' })
