import { stripControlsInLines } from './controls.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** What a command sees of its process. Only petstore.ts and this file touch the process itself. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether output may have colours: it goes to a terminal, and NO_COLOR is not set. */
  readonly hasColors: boolean
  /** Whether stderr goes to a terminal. */
  readonly isWatched: boolean
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean; setRawMode?(raw: boolean): void }
  /** Whether stdout goes to a terminal. */
  readonly isOutputTerminal: boolean
  /** The width of the terminal that stdout goes to; undefined if stdout is not a terminal. */
  readonly columns: number | undefined
  /** Writes to stdout without control characters; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Writes to stdout unchanged: for styled text that is already clean, and for data that no terminal shows. */
  writeUnchanged(text: string): Promise<void>
  /** Writes a message to stderr, without control characters. */
  printMessage(text: string): void
  /** Writes to stderr unchanged, to draw on the terminal. */
  draw(text: string): void
  now(): number
  /** Runs this on Ctrl-C, before the process ends; returns a function that undoes this. */
  onInterrupt(run: () => void): () => void
  /** Resolves when a command that keeps running should end: at Ctrl-C, or when its supervisor stops it. */
  stopped(): Promise<void>
  exitCode: ExitCode
}

/** Returns a signal that is aborted when a command should end. */
export function stopSignal(terminal: Terminal): AbortSignal {
  const stopping = new AbortController()
  void terminal.stopped().then(() => stopping.abort())
  return stopping.signal
}

interface Output {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): boolean
  once(event: 'drain', resume: () => void): unknown
}

/** What a terminal needs of the process. */
export interface Streams extends Pick<Terminal, 'env' | 'stdin'> {
  readonly stdout: Output
  readonly stderr: Output
  once(signal: 'SIGINT' | 'SIGTERM', run: () => void): unknown
  off(signal: 'SIGINT', run: () => void): unknown
  exit(code: number): void
}

export function terminalOf(streams: Streams): Terminal {
  const { env, stdin, stdout, stderr } = streams
  const writeUnchanged = (text: string) =>
    new Promise<void>((resolve) => (stdout.write(text) ? resolve() : stdout.once('drain', resolve)))
  const draw = (text: string) => void stderr.write(text)
  return {
    env,
    hasColors: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    isWatched: stderr.isTTY === true && env.TERM !== 'dumb',
    stdin,
    isOutputTerminal: stdout.isTTY === true,
    write: (text) => writeUnchanged(stripControlsInLines(text)),
    writeUnchanged,
    printMessage: (text) => draw(stripControlsInLines(text)),
    draw,
    columns: stdout.isTTY === true && stdout.columns ? stdout.columns : undefined,
    now: () => Date.now(),
    onInterrupt(run) {
      const end = () => {
        run()
        streams.exit(exitCodes.interrupted)
      }
      streams.once('SIGINT', end)
      return () => void streams.off('SIGINT', end)
    },
    stopped: () =>
      new Promise((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) streams.once(signal, resolve)
      }),
    exitCode: exitCodes.done,
  }
}
