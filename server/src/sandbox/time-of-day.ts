/** Slower readings of both clocks are not compared: the process was stopped between them. */
const readingMsMax = 1
/** The machine's clock counts whole milliseconds, so it can differ by one although nobody set it. */
const setMs = 2

/**
 * Turns times of `performance.now` into those of the machine's clock. What lies between two times stays exact until that clock is set,
 * so what came later never seems to come earlier.
 */
export function createTimeOfDay(machineTime: () => number): (at: number) => number {
  let offsetMs = machineTime() - performance.now()
  return (at) => {
    const before = performance.now()
    const offsetNow = machineTime() - before
    const isReliable = performance.now() - before < readingMsMax
    if (isReliable && Math.abs(offsetNow - offsetMs) >= setMs) offsetMs = offsetNow
    return offsetMs + at
  }
}
