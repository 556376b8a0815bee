/** What each scope allows a key to do. */
export const scopeMeanings = {
  'pets:read': 'Read pets and categories.',
  'pets:write': 'Add, change and remove pets and categories.',
  'inventory:read': 'Read the stock.',
  'inventory:write': 'Set and adjust the stock.',
  'orders:read': 'Read orders placed with this key.',
  'orders:write': 'Place orders, and change and cancel orders placed with this key.',
  'orders:all': "Extend orders:read and orders:write to everyone's orders.",
  'webhooks:manage': 'Manage webhooks created with this key.',
  'keys:manage':
    'Administrator: manage every key and give it any scope and any limits. See and disable the webhooks of every key.',
} as const

export type Scope = keyof typeof scopeMeanings

export const scopes = Object.keys(scopeMeanings) as [Scope, ...Scope[]]
