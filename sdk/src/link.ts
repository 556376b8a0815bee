/** The address that a `Link` header has for a relation. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>[^,]*;\\s*rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1]
}
