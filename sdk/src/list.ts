import { headersOf } from './answer.ts'
import { linkTo } from './link.ts'
import type { Answer, PathOf, Query } from './operation.ts'
import type { Input, Transport } from './transport.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** Where the next page begins; absent on the last one. */
  readonly next?: string
}

type Item<P extends PathOf<'get'>> = Answer<'get', P> extends readonly (infer T)[] ? T : never

/** The list at a path; it begins at the query's own cursor where there is one. */
export function listAt<P extends PathOf<'get'>>(service: Transport, path: P, input: Input<'get', P>): List<Item<P>> {
  const query = (input.query ?? {}) as { cursor?: string }
  const pageAt = (cursor: string | undefined) =>
    service.send('get', path, { ...input, query: { ...query, cursor } as unknown as Query<'get', P> })
  return new List(pageAt as Fetch<Item<P>>, query.cursor)
}

type Fetch<T> = (cursor: string | undefined) => Promise<readonly T[]>

/** A list that is read as far as somebody looks: `for await` gives its items, `pages()` its pages. */
export class List<T> implements AsyncIterable<T> {
  readonly #fetch: Fetch<T>
  readonly #from: string | undefined

  constructor(fetch: Fetch<T>, from?: string) {
    this.#fetch = fetch
    this.#from = from
  }

  /** The page that the list begins with. */
  firstPage(): Promise<Page<T>> {
    return this.#page(this.#from)
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page = await this.firstPage(); ; page = await this.#page(page.next)) {
      yield page
      if (page.next === undefined) return
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items
  }

  /** All items, or the first so many. */
  async toArray(max = Number.POSITIVE_INFINITY): Promise<T[]> {
    const all: T[] = []
    if (max > 0) {
      for await (const item of this) {
        all.push(item)
        if (all.length >= max) break
      }
    }
    return all
  }

  async #page(cursor: string | undefined): Promise<Page<T>> {
    const items = await this.#fetch(cursor)
    // Only the cursor is taken: behind a proxy the service may know itself by another address than the client does.
    const link = linkTo(headersOf(items) ?? new Headers(), 'next')
    const next = link && new URL(link, 'http://any').searchParams.get('cursor')
    return next ? { items, next } : { items }
  }
}
