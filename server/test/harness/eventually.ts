/** Calls `look` until it returns a truthy value, for as long as the test may run. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await Bun.sleep(20)
  }
}
