import type { SdkCall } from '../client/samples.client.js'
import type { DescribedOperation } from './document.ts'

/** What each operation is called in the SDK. The tests run every sample, so a call that is not there fails. */
const calls: Readonly<Record<string, string>> = {
  listPets: 'pets.list',
  createPet: 'pets.create',
  listProfiles: 'pets.profiles',
  countPets: 'pets.counts',
  createPets: 'pets.batch',
  getPet: 'pets.get',
  replacePet: 'pets.replace',
  updatePet: 'pets.update',
  deletePet: 'pets.delete',
  getPetProfile: 'pets.profile',
  listCategories: 'categories.list',
  createCategory: 'categories.create',
  getCategory: 'categories.get',
  replaceCategory: 'categories.replace',
  updateCategory: 'categories.update',
  deleteCategory: 'categories.delete',
  listOrders: 'store.orders.list',
  placeOrder: 'store.orders.place',
  getOrder: 'store.orders.get',
  updateOrder: 'store.orders.update',
  cancelOrder: 'store.orders.cancel',
  listOrderHistory: 'store.orders.history',
  listInventory: 'store.inventory.list',
  setInventoryItems: 'store.inventory.setMany',
  getInventoryItem: 'store.inventory.get',
  setInventoryItem: 'store.inventory.set',
  deleteInventoryItem: 'store.inventory.delete',
  adjustInventory: 'store.inventory.adjust',
  listMovements: 'store.inventory.movements',
  listKeys: 'keys.list',
  createKey: 'keys.create',
  getKey: 'keys.get',
  updateKey: 'keys.update',
  revokeKey: 'keys.revoke',
  rotateKey: 'keys.rotate',
  liftBan: 'keys.unban',
  getLimits: 'limits.get',
  getUsage: 'usage.get',
  listEvents: 'events.list',
  streamEvents: 'events.follow',
  listWebhooks: 'webhooks.list',
  createWebhook: 'webhooks.create',
  getWebhook: 'webhooks.get',
  updateWebhook: 'webhooks.update',
  deleteWebhook: 'webhooks.delete',
  rotateWebhookSecret: 'webhooks.rotateSecret',
  pingWebhook: 'webhooks.ping',
  listDeliveries: 'webhooks.deliveries',
  redeliver: 'webhooks.redeliver',
  replayEvents: 'webhooks.replay',
}

/** Calls that take one field of the body in its place. */
const bodyFields: Readonly<Record<string, string>> = { setInventoryItem: 'quantity' }

/** The call of the SDK, undefined where it has none yet. */
export function sdkCallOf({ operationId, parameters }: DescribedOperation): SdkCall | undefined {
  const call = calls[operationId]
  const bodyField = bodyFields[operationId]
  if (call === undefined) return undefined
  const isList = parameters.some(({ name }) => name === 'limit')
  return { call, isList, ...(bodyField !== undefined && { bodyField }) }
}
