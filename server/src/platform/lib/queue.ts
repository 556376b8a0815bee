/** First in, first out. Items are pushed to one array and taken from another, so none is ever shifted. */
export class Queue<T> {
  private incoming: T[] = []
  private outgoing: T[] = []
  private taken = 0

  get length(): number {
    return this.incoming.length + this.outgoing.length - this.taken
  }

  /** The item that has waited longest. */
  get first(): T | undefined {
    return this.outgoing[this.taken]
  }

  push(item: T): void {
    this.incoming.push(item)
    if (this.outgoing.length === 0) this.swap()
  }

  shift(): T | undefined {
    const item = this.outgoing[this.taken++]
    if (this.taken >= this.outgoing.length) this.swap()
    return item
  }

  private swap(): void {
    this.outgoing = this.incoming
    this.incoming = []
    this.taken = 0
  }
}
