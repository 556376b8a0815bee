// What every client developer does first: a category, pets in it, an order, all pages of a list, an order that is refused.

/** A trip through the shop with a generated client. */
export type Trip = (baseUrl: string, apiKey: string) => Promise<Visit>

export interface Visit {
  readonly orderId: number | undefined
  /** The names on each page of the pets that are not sold. */
  readonly pages: readonly (readonly string[])[]
  /** What the person at the screen is told of the order that is refused. */
  readonly refusal: string
}

/** The pets that a trip registers, and beside them one that is sold. */
export const namesOfPets = ['Ada', 'Bo', 'Cleo', 'Dot', 'Eve'] as const
export const petsOnPage = 2

/** The cursor of the next page, if there is one. */
export function nextCursor(headers: Headers | undefined): string | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(headers?.get('Link') ?? '') ?? []
  return address === undefined ? undefined : (new URL(address).searchParams.get('cursor') ?? undefined)
}
