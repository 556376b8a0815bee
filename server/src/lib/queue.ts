/** First in, first out. Who comes joins one list while the other is taken from, so nothing is ever moved or searched. */
export class Queue<T> {
  private coming: T[] = []
  private going: T[] = []
  private gone = 0

  get length(): number {
    return this.coming.length + this.going.length - this.gone
  }

  /** The one that has waited longest. */
  get first(): T | undefined {
    return this.going[this.gone]
  }

  push(item: T): void {
    this.coming.push(item)
    if (this.going.length === 0) this.swap()
  }

  shift(): T | undefined {
    const item = this.going[this.gone++]
    if (this.gone >= this.going.length) this.swap()
    return item
  }

  private swap(): void {
    this.going = this.coming
    this.coming = []
    this.gone = 0
  }
}
