// Made from openapi.json by npm run openapi: names for its types, which editors show instead of their content.
import type { Query, WithDates } from './operation.ts'
import type { components } from './schema.ts'

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

export interface ApiKey extends Schema<'ApiKey'> {}
export interface ApiKeyPatch extends WithDates<Schema<'ApiKeyPatch'>, 'expiresAt'> {}
export interface ApiKeyWithSecret extends Schema<'ApiKeyWithSecret'> {}
export interface Ban extends Schema<'Ban'> {}
export interface Category extends Schema<'Category'> {}
export type CategoryEventType = Schema<'CategoryEventType'>
export interface CategoryPatch extends Schema<'CategoryPatch'> {}
export interface DayBefore extends Schema<'DayBefore'> {}
export interface DaysBefore extends Schema<'DaysBefore'> {}
export interface Delivery extends Schema<'Delivery'> {}
export interface DeliveryAttempt extends Schema<'DeliveryAttempt'> {}
export type DeliveryState = Schema<'DeliveryState'>
export type ErrorCode = Schema<'ErrorCode'>
export type Event = EventOfPet | EventOfCategory | EventOfOrder | EventOfInventory | EventOfKey | EventOfWebhook
export type EventFilter = Schema<'EventFilter'>
export interface EventOfCategory extends Schema<'EventOfCategory'> {}
export interface EventOfInventory extends Schema<'EventOfInventory'> {}
export interface EventOfKey extends Schema<'EventOfKey'> {}
export interface EventOfOrder extends Schema<'EventOfOrder'> {}
export interface EventOfPet extends Schema<'EventOfPet'> {}
export interface EventOfWebhook extends Schema<'EventOfWebhook'> {}
export type EventType = Schema<'EventType'>
export interface FieldError extends Schema<'FieldError'> {}
export type InventoryEventType = Schema<'InventoryEventType'>
export interface InventoryItem extends Schema<'InventoryItem'> {}
export interface InventoryUpdate extends Schema<'InventoryUpdate'> {}
export type KeyEventType = Schema<'KeyEventType'>
export interface KeyLimits extends Schema<'KeyLimits'> {}
export interface KeyLimitsPatch extends Schema<'KeyLimitsPatch'> {}
export interface LimitStatus extends Schema<'LimitStatus'> {}
export interface LimitWindow extends Schema<'LimitWindow'> {}
export interface NewApiKey extends WithDates<Schema<'NewApiKey'>, 'expiresAt'> {}
export interface NewCategory extends Schema<'NewCategory'> {}
export interface NewOrder extends WithDates<Schema<'NewOrder'>, 'shipDate'> {}
export interface NewPet extends Schema<'NewPet'> {}
export interface NewWebhook extends Schema<'NewWebhook'> {}
export interface OrderFields extends Schema<'Order'> {}
export interface OrderChange extends Schema<'OrderChange'> {}
export type OrderChangeKind = Schema<'OrderChangeKind'>
export interface OrderDay extends Schema<'OrderDay'> {}
export type OrderEventType = Schema<'OrderEventType'>
export interface OrderHour extends Schema<'OrderHour'> {}
export interface OrderPatch extends WithDates<Schema<'OrderPatch'>, 'shipDate'> {}
export interface Pet extends Schema<'Pet'> {}
export interface PetCounts extends Schema<'PetCounts'> {}
export type PetEventType = Schema<'PetEventType'>
export interface PetPatch extends Schema<'PetPatch'> {}
export interface PetProfile extends Schema<'PetProfile'> {}
export type PetStatus = Schema<'PetStatus'>
export type Pets = Pet[]
export interface Order extends Schema<'PlacedOrder'> {}
export type Plan = Schema<'Plan'>
export type Preset = Schema<'Preset'>
export interface ReplayEvents extends WithDates<Schema<'ReplayEvents'>, 'from' | 'to'> {}
export interface Replayed extends Schema<'Replayed'> {}
export type RequestPart = Schema<'RequestPart'>
export interface RotateKey extends Schema<'RotateKey'> {}
export interface RotateWebhook extends Schema<'RotateWebhook'> {}
export type Scope = Schema<'Scope'>
export interface StockAdjustment extends Schema<'StockAdjustment'> {}
export type StockCause = Schema<'StockCause'>
export interface StockCount extends Schema<'StockCount'> {}
export interface StockMovement extends Schema<'StockMovement'> {}
export interface StoreSettings extends Schema<'StoreSettings'> {}
export interface StoreSettingsPatch extends Schema<'StoreSettingsPatch'> {}
export interface StoreSummary extends Schema<'StoreSummary'> {}
export interface UsageEntry extends Schema<'UsageEntry'> {}
export interface Webhook extends Schema<'Webhook'> {}
export type WebhookDisabledReason = Schema<'WebhookDisabledReason'>
export type WebhookEventType = Schema<'WebhookEventType'>
export interface WebhookPatch extends Schema<'WebhookPatch'> {}
export interface WebhookWithSecret extends Schema<'WebhookWithSecret'> {}
export type WindowName = Schema<'WindowName'>

export interface ListPetsQuery extends Query<'get', '/pets'> {}
export interface ListProfilesQuery extends Query<'get', '/pets/profiles'> {}
export interface CountPetsQuery extends Query<'get', '/pets/counts'> {}
export interface ListCategoriesQuery extends Query<'get', '/categories'> {}
export interface ListOrdersQuery extends WithDates<Query<'get', '/store/orders'>, 'placedFrom' | 'placedTo' | 'shipFrom' | 'shipTo'> {}
export interface ListOrderHistoryQuery extends Query<'get', '/store/orders/{orderId}/history'> {}
export interface GetStoreSummaryQuery extends Query<'get', '/store/summary'> {}
export interface ListInventoryQuery extends Query<'get', '/store/inventory'> {}
export interface ListMovementsQuery extends WithDates<Query<'get', '/store/inventory/{petId}/movements'>, 'from' | 'to'> {}
export interface ListKeysQuery extends Query<'get', '/keys'> {}
export interface GetUsageQuery extends WithDates<Query<'get', '/usage'>, 'from' | 'to'> {}
export interface ListEventsQuery extends WithDates<Query<'get', '/events'>, 'from' | 'to'> {}
export interface StreamEventsQuery extends Query<'get', '/events/stream'> {}
export interface ListWebhooksQuery extends Query<'get', '/webhooks'> {}
export interface ListDeliveriesQuery extends Query<'get', '/webhooks/{webhookId}/deliveries'> {}
