// Estimates how many programs use the key, so that each takes only its part of what is left. The service does not say, but the
// responses show it: `remaining` falls by more than was sent, or a request is rejected although there seemed to be room.

/** How long the service remembers a rejection. */
const rejectionsLastMs = 10 * 60_000
const partsMax = 64

export class Share {
  /** Our requests that got a response in this window. */
  responded = 0
  #firstRemaining = 0
  /** Requests of other programs in this window. */
  #others = 0
  #partsBefore = 1
  #partsByRejections = 1
  #rejectedAt = 0

  /** Into how many parts to divide what is left; 1 if no other program seems to use the key. */
  parts(now: number): number {
    if (now - this.#rejectedAt >= rejectionsLastMs) {
      this.#partsByRejections = Math.max(1, this.#partsByRejections / 2)
      this.#rejectedAt = now
    }
    return Math.max(this.#partsByRejections, this.#partsBefore, this.#partsSeen())
  }

  startWindow(remaining: number): void {
    this.#partsBefore = this.#partsSeen()
    this.responded = 0
    this.#others = 0
    this.#firstRemaining = remaining
  }

  countResponse(cost: number, remaining: number, inFlight: number): void {
    // Our requests in flight may be counted already, and the first response is where counting began.
    const others = this.#firstRemaining - remaining - this.responded - inFlight
    this.#others = Math.max(this.#others, others)
    this.responded += cost
  }

  countRejection(now: number): void {
    this.#partsByRejections = Math.min(partsMax, this.parts(now) * 2)
    this.#rejectedAt = now
  }

  #partsSeen(): number {
    return 1 + Math.ceil(this.#others / Math.max(1, this.responded))
  }
}
