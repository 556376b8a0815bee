import { ApiError } from '../../platform/api/errors.ts'
import type { Caller } from '../../platform/api/operation.ts'
import type { Id } from '../../platform/lib/int64.ts'
import { orderErrors } from './kinds.ts'

/** The orders a caller may access: those of one key, or everyone's. */
export type Owner = number | 'everyone'

export const ownerFor = ({ keyId, scopes }: Caller): Owner => (scopes.has('orders:all') ? 'everyone' : keyId)

/** Also used for another key's order, so that its existence is not revealed. */
export const orderNotFound = (id: Id) => new ApiError(orderErrors.order_not_found, `There is no order ${id}.`)
