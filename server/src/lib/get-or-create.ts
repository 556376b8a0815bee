interface MapLike<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): unknown
}

/** The value for `key`; if there is none, creates and stores it. */
export function getOrCreate<K, V>(map: MapLike<K, V>, key: K, create: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const value = create()
  map.set(key, value)
  return value
}
