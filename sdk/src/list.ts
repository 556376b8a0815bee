import { linkTo } from './link.ts'
import type { ApiResponse, PathOf, Query } from './operation.ts'
import { headersOf } from './response.ts'
import type { Input, Transport } from './transport.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** The position of the next page; absent on the last one. */
  readonly next?: string
}

type Item<P extends PathOf<'get'>> = ApiResponse<'get', P> extends readonly (infer T)[] ? T : never

/** The list at a path, starting at the `cursor` of its query. */
export function listAt<P extends PathOf<'get'>>(service: Transport, path: P, input: Input<'get', P>): List<Item<P>> {
  const query = (input.query ?? {}) as { cursor?: string }
  const pageAt = async (from: string | undefined): Promise<Page<Item<P>>> => {
    const pageQuery = { ...query, cursor: from } as unknown as Query<'get', P>
    const items = (await service.send('get', path, { ...input, query: pageQuery })) as readonly Item<P>[]
    const next = positionIn(items, 'next', 'cursor')
    return next ? { items, next } : { items }
  }
  return new List(pageAt, query.cursor)
}

/**
 * The position in a response's `Link`. The rest of the URL is ignored: behind a proxy the service may have another address than
 * its clients use.
 */
export function positionIn(
  response: object,
  relation: 'next' | 'monitor',
  parameter: 'cursor' | 'after',
): string | undefined {
  const link = linkTo(headersOf(response) ?? new Headers(), relation)
  return (link && new URL(link, 'http://any').searchParams.get(parameter)) || undefined
}

type PageAt<T> = (from: string | undefined) => Promise<Page<T>>

/** Something that is read page by page. */
abstract class Pages<T> implements AsyncIterable<T> {
  abstract pages(): AsyncGenerator<Page<T>, void, undefined>

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const { items } of this.pages()) yield* items
  }

  /** All items, or the first `max`. */
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
}

/** A list that is read on demand: `for await` yields its items, `pages()` its pages, `await` its first page. */
export class List<T> extends Pages<T> implements PromiseLike<FirstPage<T>> {
  readonly #pageAt: PageAt<T>
  readonly #from: string | undefined

  constructor(pageAt: PageAt<T>, from: string | undefined) {
    super()
    this.#pageAt = pageAt
    this.#from = from
  }

  /** The first page. */
  async firstPage(): Promise<FirstPage<T>> {
    return new FirstPage(await this.#pageAt(this.#from), this.#pageAt)
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    yield* (await this.firstPage()).pages()
  }

  // biome-ignore lint/suspicious/noThenProperty: people write `await` by habit, and get what they asked for.
  then<Result = FirstPage<T>, Failed = never>(
    onPage?: ((page: FirstPage<T>) => Result | PromiseLike<Result>) | null,
    onError?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Result | Failed> {
    return this.firstPage().then(onPage, onError)
  }
}

/** The first page of a list. `for await` continues with the other pages. */
export class FirstPage<T> extends Pages<T> implements Page<T> {
  readonly items: readonly T[]
  declare readonly next?: string
  readonly #pageAt: PageAt<T>

  constructor({ items, next }: Page<T>, pageAt: PageAt<T>) {
    super()
    this.items = items
    if (next !== undefined) this.next = next
    this.#pageAt = pageAt
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page: Page<T> = this; ; page = await this.#pageAt(page.next)) {
      yield page
      if (page.next === undefined) return
    }
  }
}
