import { headersOf } from './answer.ts'
import { linkTo } from './link.ts'
import type { Answer, PathOf, Query } from './operation.ts'
import type { Input, Transport } from './transport.ts'

export interface Page<T> {
  readonly items: readonly T[]
  /** The position of the next page; absent on the last one. */
  readonly next?: string
}

type PositionParam = 'cursor' | 'after'
type Item<P extends PathOf<'get'>> = Answer<'get', P> extends readonly (infer T)[] ? T : never

/** The list at a path, from the position that its query names in the parameter `positionParam`. */
export function listAt<P extends PathOf<'get'>>(
  service: Transport,
  path: P,
  input: Input<'get', P>,
  positionParam: PositionParam = 'cursor',
): List<Item<P>> {
  const query = (input.query ?? {}) as Partial<Record<PositionParam, string>>
  const pageAt = async (from: string | undefined): Promise<Page<Item<P>>> => {
    const pageQuery = { ...query, [positionParam]: from } as unknown as Query<'get', P>
    const items = (await service.send('get', path, { ...input, query: pageQuery })) as readonly Item<P>[]
    const next = positionIn(items, 'next', positionParam)
    return next ? { items, next } : { items }
  }
  return new List(pageAt, query[positionParam])
}

/**
 * The position in an answer's `Link`. The rest of the URL is ignored: behind a proxy the service may have another address than
 * its clients use.
 */
export function positionIn(
  answer: object,
  relation: 'next' | 'monitor',
  positionParam: PositionParam,
): string | undefined {
  const link = linkTo(headersOf(answer) ?? new Headers(), relation)
  return (link && new URL(link, 'http://any').searchParams.get(positionParam)) || undefined
}

type PageAt<T> = (from: string | undefined) => Promise<Page<T>>

/** A list that is read on demand: `for await` yields its items, `pages()` its pages. */
export class List<T> implements AsyncIterable<T> {
  readonly #pageAt: PageAt<T>
  readonly #from: string | undefined

  constructor(pageAt: PageAt<T>, from: string | undefined) {
    this.#pageAt = pageAt
    this.#from = from
  }

  /** The first page. */
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
