import type { Client } from './service.ts'

/** All items of a list, by following the `Link` header. */
export async function everyPage<T>(client: Client, firstPath: string): Promise<T[]> {
  const items: T[] = []
  let path: string | undefined = firstPath
  while (path !== undefined) {
    const { body, headers, status } = await client.get(path)
    if (status !== 200) throw new Error(JSON.stringify(body))
    items.push(...body)
    path = /<http:\/\/petstore\.test([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
  }
  return items
}
