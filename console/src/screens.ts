import type { Scope } from '@petstore/sdk'
import type { ComponentType } from 'preact'
import type { IconName } from './parts/icon.tsx'
import { Activity } from './screens/activity.tsx'
import { Categories } from './screens/categories.tsx'
import { Dashboard } from './screens/dashboard.tsx'
import { Events } from './screens/events.tsx'
import { Inventory } from './screens/inventory.tsx'
import { KeyScreen } from './screens/key.tsx'
import { Keys } from './screens/keys.tsx'
import { OrderScreen } from './screens/order.tsx'
import { Orders } from './screens/orders.tsx'
import { PetScreen } from './screens/pet.tsx'
import { Pets } from './screens/pets.tsx'
import { WebhookScreen } from './screens/webhook.tsx'
import { Webhooks } from './screens/webhooks.tsx'

interface Screen {
  readonly path: string
  readonly name: string
  readonly icon: IconName
  readonly group: string
  /** The scope that the key needs. */
  readonly scope?: Scope
  readonly list: ComponentType
  /** The screen of a single item. */
  readonly one?: ComponentType<{ id: number }>
}

/** All screens of the console. */
export const screens: readonly Screen[] = [
  { path: '/', name: 'Overview', icon: 'overview', group: '', list: Dashboard },
  { path: '/pets', name: 'Pets', icon: 'pet', group: 'Catalogue', scope: 'pets:read', list: Pets, one: PetScreen },
  {
    path: '/categories',
    name: 'Categories',
    icon: 'category',
    group: 'Catalogue',
    scope: 'pets:read',
    list: Categories,
  },
  {
    path: '/orders',
    name: 'Orders',
    icon: 'order',
    group: 'Store',
    scope: 'orders:read',
    list: Orders,
    one: OrderScreen,
  },
  { path: '/inventory', name: 'Inventory', icon: 'stock', group: 'Store', scope: 'inventory:read', list: Inventory },
  { path: '/keys', name: 'API keys', icon: 'key', group: 'Platform', scope: 'keys:manage', list: Keys, one: KeyScreen },
  {
    path: '/webhooks',
    name: 'Webhooks',
    icon: 'webhook',
    group: 'Platform',
    scope: 'webhooks:manage',
    list: Webhooks,
    one: WebhookScreen,
  },
  {
    path: '/activity',
    name: 'Activity',
    icon: 'activity',
    group: 'Platform',
    scope: 'keys:manage',
    list: Activity,
  },
  { path: '/events', name: 'Events', icon: 'event', group: 'Platform', list: Events },
]

interface Action {
  readonly name: string
  readonly path: string
  readonly scope: Scope
  readonly dialog: string
}

/** Actions that work from anywhere; each has its own address. */
export const actions: readonly Action[] = [
  { name: 'Create a pet', path: '/pets', scope: 'pets:write', dialog: 'new' },
  { name: 'Import pets', path: '/pets', scope: 'pets:write', dialog: 'import' },
  { name: 'Export pets', path: '/pets', scope: 'pets:read', dialog: 'export' },
  { name: 'Create a category', path: '/categories', scope: 'pets:write', dialog: 'new' },
  { name: 'Place an order', path: '/orders', scope: 'orders:write', dialog: 'new' },
  { name: 'Add a webhook', path: '/webhooks', scope: 'webhooks:manage', dialog: 'new' },
  { name: 'Create an API key', path: '/keys', scope: 'keys:manage', dialog: 'new' },
]
