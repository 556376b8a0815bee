interface MapLike<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** The value under `key`, made first where there is none. */
export function entryOf<K, V>(map: MapLike<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
