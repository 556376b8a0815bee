import { program } from './petstore.ts'

interface Typing {
  readonly env: Readonly<Record<string, string>>
  /** What is typed once the program has shown `after`. */
  readonly typed?: { readonly after: string; readonly keys: string }
}

/** Runs the program for a person at a terminal. Gives all that was shown, as the terminal got it. */
export async function onTerminal(words: readonly string[], { env, typed }: Typing) {
  const decoder = new TextDecoder()
  let shown = ''
  let waiting = typed
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TERM: 'xterm', ...env },
    terminal: {
      cols: 120,
      data(terminal, data) {
        shown += decoder.decode(data, { stream: true })
        if (!waiting || !shown.includes(waiting.after)) return
        terminal.write(waiting.keys)
        waiting = undefined
      },
    },
  })
  const code = await child.exited
  // What it wrote last may still be on its way.
  for (let quiet = 0, length = -1; quiet < 3; quiet = shown.length === length ? quiet + 1 : 0) {
    length = shown.length
    await Bun.sleep(10)
  }
  return { code, shown }
}
