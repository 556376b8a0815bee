/**
 * Counts by the start of their window. Windows left behind are kept, `keptMax` of them, whatever the clock does: should it
 * step back, they go on.
 */
export class Tally {
  private start = Number.NEGATIVE_INFINITY
  private count = 0
  private readonly others = new Map<number, number>()
  constructor(private readonly keptMax: number) {}

  at(start: number): number {
    return start === this.start ? this.count : (this.others.get(start) ?? 0)
  }

  set(start: number, count: number): void {
    if (start !== this.start) this.turnTo(start)
    this.count = count
  }

  /** The sum of the windows from `first` to `last`. */
  between(first: number, last: number): number {
    let sum = this.start >= first && this.start <= last ? this.count : 0
    for (const [other, count] of this.others) if (other >= first && other <= last) sum += count
    return sum
  }

  /** The start of the window counted last. */
  get last(): number {
    return this.start
  }

  /** The windows that have a count, with it. */
  *entries(): Generator<[start: number, count: number]> {
    yield* this.others
    if (this.count > 0) yield [this.start, this.count]
  }

  private turnTo(start: number): void {
    if (this.count > 0) this.others.set(this.start, this.count)
    this.start = start
    this.others.delete(start)
    for (const [oldest] of this.others) {
      if (this.others.size <= this.keptMax) break
      this.others.delete(oldest)
    }
  }
}
