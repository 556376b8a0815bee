/** What each scope lets a key do. */
export const scopeMeanings = {
  'pets:read': 'Read pets and categories.',
  'pets:write': 'Add, change and remove pets and categories.',
  'inventory:read': 'Read the stock.',
  'inventory:write': 'Set and adjust the stock.',
  'orders:read': 'Read the orders that the key itself placed.',
  'orders:write': 'Place orders, and change and cancel those that the key itself placed.',
  'orders:all': "Reach everyone's orders with the two scopes before.",
  'webhooks:manage': 'Manage the webhooks that the key itself made.',
  'keys:manage':
    'Manage every key, and give any scope and any limits to any of them: all that an administrator may. See and switch off the webhooks of every key.',
} as const

export type Scope = keyof typeof scopeMeanings

export const scopes = Object.keys(scopeMeanings) as [Scope, ...Scope[]]
