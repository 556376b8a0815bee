import type { PetStatus } from '@petstore/sdk'
import { param } from '../router.ts'

/** The filters in the address, as the API takes them. */
export function petFilters() {
  const [q, status, categoryId, sort] = ['q', 'status', 'categoryId', 'sort'].map(param)
  return {
    ...(q && { q }),
    ...(status && { status: status as PetStatus }),
    ...(categoryId && { categoryId: Number(categoryId) }),
    ...(sort && { sort: sort as 'id' }),
  }
}
