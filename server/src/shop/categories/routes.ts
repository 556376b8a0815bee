import { keyset, page } from '../../platform/api/list-page.ts'
import { created, noContent, ok, type Route, read, write } from '../../platform/api/operation.ts'
import { changeCategory } from './change.ts'
import { createCategory } from './create.ts'
import { deleteCategory } from './delete.ts'
import { categoryNotFound } from './lock.ts'
import * as operations from './operations.ts'
import { showCategory } from './show.ts'
import * as store from './store.ts'

export const categoryRoutes: Route[] = [
  read(operations.listCategories, async (db, { query }) => {
    const { sort = 'id' } = query
    const pageQuery = keyset(operations.listCategories, query, store.categorySorts, sort)
    return page(await store.findCategories(db, query, pageQuery), pageQuery, showCategory)
  }),

  write(operations.createCategory, async (tx, input) => {
    const category = await createCategory(tx, input, input.body)
    return created(showCategory(category), `/categories/${category.id}`)
  }),

  read(operations.getCategory, async (db, { params }) => {
    const category = await store.findCategory(db, params.categoryId)
    if (!category) throw categoryNotFound(params.categoryId)
    return ok(showCategory(category))
  }),

  write(operations.replaceCategory, async (tx, input) => {
    const { name, description = null } = input.body
    return ok(showCategory(await changeCategory(tx, input, input.params.categoryId, { name, description })))
  }),

  write(operations.updateCategory, async (tx, input) =>
    ok(showCategory(await changeCategory(tx, input, input.params.categoryId, input.body))),
  ),

  write(operations.deleteCategory, async (tx, input) => {
    await deleteCategory(tx, input, input.params.categoryId)
    return noContent()
  }),
]
