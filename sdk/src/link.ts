/** The URL of a relation in the `Link` header. */
export function linkTo(headers: Headers, relation: string): string | undefined {
  return new RegExp(`<([^>]*)>[^,]*;\\s*rel="${relation}"`).exec(headers.get('Link') ?? '')?.[1]
}
