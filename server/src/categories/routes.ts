import { ApiError } from '../api/errors.ts'
import { keyset, page } from '../api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../api/operation.ts'
import { ConstraintViolation, type Transaction } from '../db/database.ts'
import type { CategoryRow } from '../db/tables.ts'
import type { Id } from '../lib/int64.ts'
import * as operations from './operations.ts'
import { showCategory } from './show.ts'
import * as store from './store.ts'

export const categoryRoutes: Route[] = [
  read(operations.listCategories, async (db, { query }) => {
    const { sort = 'id' } = query
    const asked = keyset(query, store.categorySorts, sort)
    return page(await store.findCategories(db, query, asked), asked, sort, showCategory)
  }),

  write(operations.createCategory, async (tx, { body }) => {
    const category = await store.insertCategory(tx, fieldsOf(body))
    return created(showCategory(category), `/categories/${category.id}`)
  }),

  read(operations.getCategory, async (db, { params }) => {
    const category = await store.findCategory(db, params.categoryId)
    if (!category) throw notFound(params.categoryId)
    return ok(showCategory(category))
  }),

  write(operations.replaceCategory, async (tx, { params, body, mustMatch }) => {
    mustMatch(showCategory(await lock(tx, params.categoryId)))
    return ok(showCategory(await store.updateCategory(tx, params.categoryId, fieldsOf(body))))
  }),

  write(operations.updateCategory, async (tx, { params, body, mustMatch }) => {
    const current = await lock(tx, params.categoryId)
    mustMatch(showCategory(current))
    return ok(
      showCategory(
        await store.updateCategory(tx, params.categoryId, {
          name: body.name ?? current.name,
          description: body.description === undefined ? current.description : body.description,
        }),
      ),
    )
  }),

  write(operations.deleteCategory, async (tx, { params, mustMatch }) => {
    mustMatch(showCategory(await lock(tx, params.categoryId)))
    try {
      await store.deleteCategory(tx, params.categoryId)
    } catch (error) {
      if (error instanceof ConstraintViolation) throw new ApiError('category_in_use')
      throw error
    }
    return noContent()
  }),
]

const fieldsOf = (body: { name: string; description?: string | undefined }): store.CategoryFields => ({
  name: body.name,
  description: body.description ?? null,
})

async function lock(tx: Transaction, id: Id): Promise<CategoryRow> {
  const category = await store.lockCategory(tx, id)
  if (!category) throw notFound(id)
  return category
}

const notFound = (id: Id) => new ApiError('category_not_found', `There is no category ${id}.`)
