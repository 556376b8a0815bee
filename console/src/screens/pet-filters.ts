import type { PetStatus } from '@petstore/sdk'
import { param } from '../router.ts'
import { lowMax } from '../stock-levels.ts'

/** The choices of the stock filter, and how the API takes them. */
const stockRanges: Record<string, { minStock?: number; maxStock?: number }> = {
  none: { maxStock: 0 },
  low: { minStock: 1, maxStock: lowMax },
  some: { minStock: 1 },
}

export const stockChoices = [
  ['some', 'in stock'],
  ['low', `1 to ${lowMax} left`],
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
    ...stockRanges[stock],
    ...(sort && { sort: sort as 'id' }),
  }
}
