type Query = Readonly<Record<string, string | string[]>>

/** Merges `name[]` into `name` for parameters that take several values. */
export function joinLists(query: Query, lists: ReadonlySet<string>): Query {
  const bracketed = Object.keys(query).filter((name) => name.endsWith('[]') && lists.has(name.slice(0, -2)))
  if (bracketed.length === 0) return query
  const joined: Record<string, string | string[]> = { ...query }
  for (const bracketedName of bracketed) {
    const name = bracketedName.slice(0, -2)
    joined[name] = [query[name] ?? [], query[bracketedName] ?? []].flat()
    delete joined[bracketedName]
  }
  return joined
}
