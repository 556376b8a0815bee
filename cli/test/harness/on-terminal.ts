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
  const ended = Promise.withResolvers<void>()
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TERM: 'xterm', ...env },
    terminal: {
      cols: 120,
      exit: () => ended.resolve(),
      data(terminal, data) {
        shown += decoder.decode(data, { stream: true })
        if (!waiting || !shown.includes(waiting.after)) return
        terminal.write(waiting.keys)
        waiting = undefined
      },
    },
  })
  // All of what it wrote has come when the terminal ends.
  const [code] = await Promise.all([child.exited, ended.promise])
  return { code, shown }
}
