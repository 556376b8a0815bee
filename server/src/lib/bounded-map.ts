/**
 * A map that holds at most `sizeMax` entries and forgets those used longest ago. Entries live in two halves: when the
 * young half is full, the old one is dropped whole and the young one grows old. So nothing is ever searched or moved one
 * by one: dropping the first entry of a large Map, again and again, takes a walk over all that were dropped before.
 */
export class BoundedMap<K, V> {
  private young = new Map<K, V>()
  private old = new Map<K, V>()
  constructor(private readonly sizeMax: number) {}

  get(key: K): V | undefined {
    const value = this.young.get(key)
    if (value !== undefined) return value
    const older = this.old.get(key)
    if (older !== undefined) this.set(key, older)
    return older
  }

  set(key: K, value: V): void {
    if (!this.young.has(key) && this.young.size * 2 >= this.sizeMax) {
      this.old = this.young
      this.young = new Map()
    }
    this.young.set(key, value)
    this.old.delete(key)
  }

  deleteWhere(condition: (value: V) => boolean): void {
    for (const half of [this.young, this.old]) {
      for (const [key, value] of half) if (condition(value)) half.delete(key)
    }
  }

  *values(): Generator<V> {
    yield* this.young.values()
    yield* this.old.values()
  }

  clear(): void {
    this.young.clear()
    this.old.clear()
  }
}
