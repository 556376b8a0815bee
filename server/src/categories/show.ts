import type { CategoryRow } from '../db/tables.ts'

/** A category as clients see it; what is undefined is left out of its JSON. */
export const showCategory = ({ id, name, description }: CategoryRow) => ({
  id,
  name,
  description: description ?? undefined,
})
