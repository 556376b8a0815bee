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

/** The list at a path. It begins where its query says; `place` is the parameter that says so. */
export function listAt<P extends PathOf<'get'>>(
  service: Transport,
  path: P,
  input: Input<'get', P>,
  place: 'cursor' | 'after' = 'cursor',
): List<Item<P>> {
  const query = (input.query ?? {}) as Partial<Record<typeof place, string>>
  const pageAt = async (from: string | undefined): Promise<Page<Item<P>>> => {
    const asked = { ...query, [place]: from } as unknown as Query<'get', P>
    const items = (await service.send('get', path, { ...input, query: asked })) as readonly Item<P>[]
    const next = placeIn(items, 'next', place)
    return next ? { items, next } : { items }
  }
  return new List(pageAt, query[place])
}

/**
 * Where an answer's `Link` says to go on. Only the place is taken of it: behind a proxy the service may know itself by another
 * address than its clients do.
 */
export function placeIn(answer: object, relation: 'next' | 'monitor', place: 'cursor' | 'after'): string | undefined {
  const link = linkTo(headersOf(answer) ?? new Headers(), relation)
  return (link && new URL(link, 'http://any').searchParams.get(place)) || undefined
}

type PageAt<T> = (from: string | undefined) => Promise<Page<T>>

/** A list that is read as far as somebody looks: `for await` gives its items, `pages()` its pages. */
export class List<T> implements AsyncIterable<T> {
  readonly #pageAt: PageAt<T>
  readonly #from: string | undefined

  constructor(pageAt: PageAt<T>, from: string | undefined) {
    this.#pageAt = pageAt
    this.#from = from
  }

  /** The page that the list begins with. */
  firstPage(): Promise<Page<T>> {
    return this.#pageAt(this.#from)
  }

  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    for (let page = await this.firstPage(); ; page = await this.#pageAt(page.next)) {
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
}
