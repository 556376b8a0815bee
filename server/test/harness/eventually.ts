/** Far longer than anything takes on a busy machine, and shorter than a test may run. */
const patienceMs = process.env.TORTURE ? 600_000 : 60_000

/** Calls `look` until it returns a value other than undefined and false. If it never does, the error says what was looked for and `seen`. */
export async function eventually<T>(
  look: () => T | undefined | false | Promise<T | undefined | false>,
  seen?: () => unknown,
): Promise<T> {
  const giveUpAt = Bun.nanoseconds() + patienceMs * 1e6
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    if (Bun.nanoseconds() > giveUpAt) {
      const last = seen ? JSON.stringify(await seen()) : found
      throw new Error(`still ${last} after ${patienceMs / 1000} s: ${look}`)
    }
    await Bun.sleep(20)
  }
}
