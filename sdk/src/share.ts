// How many programs seem to use the key, so that each takes only its part of what is left. Nobody tells, but the answers show
// it: `remaining` falls by more than was sent, or a request is refused although there seemed to be room.

/** How long the service remembers a strike. */
const strikesLastMs = 10 * 60_000
const partsMax = 64

export class Share {
  /** Our own requests that were answered in this window. */
  own = 0
  #firstRemaining = 0
  #others = 0
  #before = 1
  #strikes = 1
  #struckAt = 0

  /** Into how many parts to divide what is left; 1 where we seem to be alone. */
  parts(now: number): number {
    if (now - this.#struckAt >= strikesLastMs) {
      this.#strikes = Math.max(1, this.#strikes / 2)
      this.#struckAt = now
    }
    return Math.max(this.#strikes, this.#before, this.#seen())
  }

  windowBegins(remaining: number): void {
    this.#before = this.#seen()
    this.own = 0
    this.#others = 0
    this.#firstRemaining = remaining
  }

  answered(cost: number, remaining: number, inFlight: number): void {
    // Those of ours that are under way may be counted already, and the first answer is where we began to look.
    const others = this.#firstRemaining - remaining - this.own - inFlight
    this.#others = Math.max(this.#others, others)
    this.own += cost
  }

  struck(now: number): void {
    this.#strikes = Math.min(partsMax, this.parts(now) * 2)
    this.#struckAt = now
  }

  #seen(): number {
    return 1 + Math.ceil(this.#others / Math.max(1, this.own))
  }
}
