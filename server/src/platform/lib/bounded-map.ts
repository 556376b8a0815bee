/**
 * A least-recently-used cache of at most `sizeMax` entries, in two generations: when the new one is full, the old one is dropped
 * and the new one becomes old. Evicting entries one by one from the front of a large Map would scan its deleted slots each time.
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
    for (const generation of [this.young, this.old]) {
      for (const [key, value] of generation) if (condition(value)) generation.delete(key)
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
