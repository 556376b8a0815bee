const paceMsMin = 200
const paceFactorMax = 1.35

/** Whether waits are those of a client that asks at a steady pace, whatever the response. A busy machine makes some longer. */
export function isPace(waits: readonly number[]): boolean {
  const [shortest = 0, ...others] = waits.toSorted((a, b) => a - b)
  const middle = others[Math.floor((others.length - 1) / 2)] ?? shortest
  return shortest >= paceMsMin && middle <= shortest * paceFactorMax
}
