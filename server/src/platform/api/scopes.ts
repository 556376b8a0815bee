import { ApiError } from './errors.ts'

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

interface RequiredScope {
  readonly scope?: Scope
  readonly orScope?: Scope
}

/** Whether these scopes include one of the operation's. */
export const hasScope = ({ scope, orScope }: RequiredScope, scopes: ReadonlySet<Scope>): boolean =>
  !scope || scopes.has(scope) || (orScope !== undefined && scopes.has(orScope))

/** Throws if the caller has neither of the operation's scopes. */
export function mustHaveScope(required: RequiredScope, scopes: ReadonlySet<Scope>): void {
  if (hasScope(required, scopes)) return
  const names = [required.scope, required.orScope].filter(Boolean).map((scope) => `\`${scope}\``)
  throw lacksScope(`${names.join(' or ')}, which this operation requires`)
}

/** The key lacks a scope: which one, and for what. */
export const lacksScope = (scope: string): ApiError =>
  new ApiError('insufficient_scope', `This key lacks the scope ${scope}.`)
