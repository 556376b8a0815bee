/** Returns a function that uses only what was asked for last: an earlier response that comes later is dropped. */
export function createLatest() {
  let asked = 0
  return async <T>(load: Promise<T>, use: (loaded: T) => void): Promise<void> => {
    const turn = ++asked
    const loaded = await load
    if (turn === asked) use(loaded)
  }
}
