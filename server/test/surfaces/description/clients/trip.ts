// What a client developer tries first: a category, pets in it, an order, all pages of a list, a rejected order.

/** A trip through the shop with a generated client. */
export type Trip = (baseUrl: string, apiKey: string) => Promise<Visit>

export interface Visit {
  readonly orderId: number | undefined
  /** The names on each page of the pets that are not sold. */
  readonly pages: readonly (readonly string[])[]
  /** The message shown to the user about the rejected order. */
  readonly rejection: string
}

/** The pets that a trip registers, plus one that is sold. */
export const namesOfPets = ['Ada', 'Bo', 'Cleo', 'Dot', 'Eve'] as const
export const petsOnPage = 2

interface Failure {
  readonly code: string
  readonly message: string
}

/** For generators that take the `default` response for a possible success: the body, unless it is an Error. */
export function successOf<Body extends object>(body: Body): Exclude<Body, Failure> {
  if ('code' in body && 'message' in body) throw new Error(String(body.message))
  return body as Exclude<Body, Failure>
}

/** The cursor of the next page, if there is one. */
export function nextCursor(headers: Headers | undefined): string | undefined {
  const [, address] = /<([^>]+)>; rel="next"/.exec(headers?.get('Link') ?? '') ?? []
  return address === undefined ? undefined : (new URL(address).searchParams.get('cursor') ?? undefined)
}
