/** What `look` finds, as soon as it finds something: asked again and again for as long as the test has time. */
export async function eventually<T>(look: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) return found
    await Bun.sleep(20)
  }
}
