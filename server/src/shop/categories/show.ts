import type { CategoryRow } from './store.ts'

/** A category as clients see it. An undefined field is absent from the JSON. */
export const showCategory = ({ id, name, description }: CategoryRow) => ({
  id,
  name,
  description: description ?? undefined,
})
