/** How many requests of each subject are undecided. */
export class Undecided {
  private readonly requests = new Map<string, number>()

  of(subject: string): number {
    return this.requests.get(subject) ?? 0
  }

  /** Adds to the number; `requests` may be negative. */
  add(subject: string, requests: number): void {
    const sum = this.of(subject) + requests
    if (sum > 0) this.requests.set(subject, sum)
    else this.requests.delete(subject)
  }
}
