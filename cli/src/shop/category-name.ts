import type { PetStore } from '@petstore/sdk'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { FieldOption } from './fields.ts'

/** Sets `categoryId` to a name, which is looked up before the call. */
export const byName: FieldOption = [
  '--category <name>',
  'the name of the category, instead of --category-id',
  undefined,
  'categoryId',
]

/** The fields with the ids of the categories of this name. */
export async function withCategoryIds<T extends { categoryId?: unknown }>(shop: PetStore, fields: T): Promise<T> {
  const { categoryId: name } = fields
  if (typeof name !== 'string') return fields
  const found = await shop.categories.list({ q: name, limit: 100 }).toArray()
  const ids = found.filter((category) => category.name === name).map(({ id }) => id)
  if (ids.length > 0) return { ...fields, categoryId: ids }
  throw new Failure(`There is no category "${name}". \`petstore categories list\` shows all.`, exitCodes.notFound)
}

/** The fields with the id of the only category of this name. */
export async function withCategoryId<T extends { categoryId?: unknown }>(shop: PetStore, fields: T): Promise<T> {
  const { categoryId } = await withCategoryIds(shop, fields)
  if (!Array.isArray(categoryId)) return fields
  if (categoryId.length === 1) return { ...fields, categoryId: categoryId[0] }
  throw new Failure(
    `Several categories have this name: ${categoryId.join(', ')}. Choose one with --category-id.`,
    exitCodes.misused,
  )
}
