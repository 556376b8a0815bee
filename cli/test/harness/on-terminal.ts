import { program } from './petstore.ts'

interface Typing {
  readonly env: Readonly<Record<string, string>>
  /** Typed when the program has printed `after`. */
  readonly typed?: { readonly after: string; readonly keys: string }
}

/** Runs the program on a terminal and returns everything it printed. */
export async function onTerminal(words: readonly string[], { env, typed }: Typing) {
  const decoder = new TextDecoder()
  let screen = ''
  let waiting = typed
  const ended = Promise.withResolvers<void>()
  const child = Bun.spawn([...program, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', TERM: 'xterm', ...env },
    terminal: {
      cols: 120,
      exit: () => ended.resolve(),
      data(terminal, data) {
        screen += decoder.decode(data, { stream: true })
        if (!waiting || !screen.includes(waiting.after)) return
        terminal.write(waiting.keys)
        waiting = undefined
      },
    },
  })
  // All output has arrived when the terminal closes.
  const [code] = await Promise.all([child.exited, ended.promise])
  return { code, screen }
}
