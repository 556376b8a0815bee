/** A map that drops the entry used longest ago when it is full. */
export class BoundedMap<K, V> {
  private readonly entries = new Map<K, V>()
  constructor(private readonly sizeMax: number) {}

  get size(): number {
    return this.entries.size
  }

  get(key: K): V | undefined {
    const value = this.entries.get(key)
    if (value === undefined) return undefined
    // Only a map near its bound pays for keeping the order of use.
    if (this.entries.size * 2 > this.sizeMax) {
      this.entries.delete(key)
      this.entries.set(key, value)
    }
    return value
  }

  set(key: K, value: V): void {
    if (!this.entries.has(key) && this.entries.size >= this.sizeMax) {
      const oldest = this.entries.keys().next()
      if (!oldest.done) this.entries.delete(oldest.value)
    }
    this.entries.set(key, value)
  }

  delete(key: K): void {
    this.entries.delete(key)
  }

  deleteWhere(condition: (value: V) => boolean): void {
    for (const [key, value] of this.entries) if (condition(value)) this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
  }

  values(): IterableIterator<V> {
    return this.entries.values()
  }
}
