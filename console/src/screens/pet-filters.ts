import type { PetStatus } from '@petstore/sdk'
import { param } from '../router.ts'
import { lowStockMax } from '../stock-levels.ts'

/** The choices of the stock filter, and how the API takes them. */
const stockRanges = (): Record<string, { minQuantity?: number; maxQuantity?: number }> => ({
  none: { maxQuantity: 0 },
  low: { minQuantity: 1, maxQuantity: lowStockMax() },
  some: { minQuantity: 1 },
})

export const stockChoices = [
  ['some', 'in stock'],
  ['low', 'few left'],
  ['none', 'none left'],
] as const

/** The parameters of the address that select pets. */
export const petParams = ['q', 'status', 'categoryId', 'stock', 'sort'] as const

/** The filters in the address, as the API takes them. */
export function petFilters() {
  const [q, status, categoryId, stock = '', sort] = petParams.map(param)
  return {
    ...(q && { q }),
    ...(status && { status: status as PetStatus }),
    ...(categoryId && { categoryId: Number(categoryId) }),
    ...stockRanges()[stock],
    ...(sort && { sort: sort as 'id' }),
  }
}
