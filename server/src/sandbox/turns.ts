/** How many requests of a sandbox start in one turn of the event loop. */
const perTurn = 16

/** What one sandbox may still start in this turn, and what waits for later turns. */
export interface Share {
  left: number
  readonly waiting: (() => void)[]
}

export const newShare = (): Share => ({ left: perTurn, waiting: [] })

/** Lets each sandbox start only a limited number of requests before the event loop looks for those of others. */
export interface Turns {
  /** Takes one of the requests of this turn. Returns a promise if the request has to wait for another turn. */
  take(share: Share): Promise<void> | undefined
  /** Takes a whole turn, for something that takes a long time. */
  takeAll(share: Share): Promise<void> | undefined
}

export function createTurns(): Turns {
  const spent = new Set<Share>()
  let isPlanned = false

  function spend(share: Share, count: number): void {
    share.left -= count
    if (share.left > 0) return
    spent.add(share)
    if (isPlanned) return
    isPlanned = true
    setImmediate(startTurn)
  }

  function startTurn(): void {
    isPlanned = false
    const shares = [...spent]
    spent.clear()
    for (const share of shares) {
      share.left = perTurn
      while (share.left > 0 && share.waiting.length > 0) share.waiting.shift()?.()
    }
  }

  function take(share: Share, count: number): Promise<void> | undefined {
    if (share.left > 0) return void spend(share, count)
    return new Promise((resolve) =>
      share.waiting.push(() => {
        spend(share, count)
        resolve()
      }),
    )
  }

  return { take: (share) => take(share, 1), takeAll: (share) => take(share, perTurn) }
}
