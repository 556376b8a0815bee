import type { List, Page } from '@petstore/sdk'

const emptyPagesMax = 10

/** The first page with items: a filter without an index may return empty pages before it. */
export async function firstFilledPage<T>(list: Pick<List<T>, 'pages'>): Promise<Page<T>> {
  let count = 0
  for await (const page of list.pages()) {
    if (page.items.length > 0 || page.next === undefined || ++count === emptyPagesMax) return page
  }
  return { items: [] }
}
