// Estimates how many programs use the key, so that each takes only its part of what is left. The service does not say, but the
// answers show it: `remaining` falls by more than was sent, or a request is refused although there seemed to be room.

/** How long the service remembers a refusal. */
const refusalsLastMs = 10 * 60_000
const partsMax = 64

export class Share {
  /** Our requests that were answered in this window. */
  answered = 0
  #firstRemaining = 0
  /** Requests of other programs in this window. */
  #others = 0
  #partsBefore = 1
  #partsByRefusals = 1
  #refusedAt = 0

  /** Into how many parts to divide what is left; 1 if no other program seems to use the key. */
  parts(now: number): number {
    if (now - this.#refusedAt >= refusalsLastMs) {
      this.#partsByRefusals = Math.max(1, this.#partsByRefusals / 2)
      this.#refusedAt = now
    }
    return Math.max(this.#partsByRefusals, this.#partsBefore, this.#partsSeen())
  }

  startWindow(remaining: number): void {
    this.#partsBefore = this.#partsSeen()
    this.answered = 0
    this.#others = 0
    this.#firstRemaining = remaining
  }

  countAnswer(cost: number, remaining: number, inFlight: number): void {
    // Our requests in flight may be counted already, and the first answer is where counting began.
    const others = this.#firstRemaining - remaining - this.answered - inFlight
    this.#others = Math.max(this.#others, others)
    this.answered += cost
  }

  countRefusal(now: number): void {
    this.#partsByRefusals = Math.min(partsMax, this.parts(now) * 2)
    this.#refusedAt = now
  }

  #partsSeen(): number {
    return 1 + Math.ceil(this.#others / Math.max(1, this.answered))
  }
}
