import { ApiError } from '../api/errors.ts'
import type { Caller } from '../api/operation.ts'
import type { Id } from '../lib/int64.ts'

/** Whose orders a caller may reach: those of one key, or everyone's. */
export type Owner = number | 'everyone'

export const ownerFor = ({ keyId, scopes }: Caller): Owner => (scopes.has('orders:all') ? 'everyone' : keyId)

/** Also what is said of an order that belongs to somebody else. */
export const orderNotFound = (id: Id) => new ApiError('order_not_found', `There is no order ${id}.`)
