import type { CategoryRow } from '../db/tables.ts'

/** A category as clients see it. */
export const showCategory = ({ id, name, description }: CategoryRow) => ({
  id,
  name,
  ...(description !== null && { description }),
})
