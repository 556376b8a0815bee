import { cleanedLines } from './controls.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'

/** What a command knows of the process around it. Only petstore.ts and this file touch the process itself. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether answers may be coloured: a person reads them and NO_COLOR is not set. */
  readonly hasColors: boolean
  /** Whether a person watches what is told besides the answer. */
  readonly isWatched: boolean
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean; setRawMode?(raw: boolean): void }
  /** Whether the answer goes to a terminal. */
  readonly isShown: boolean
  /** Writes a part of the answer, without what could steer a terminal; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** The same for text that has styles of its own, or is data: what it holds is clean, or goes to no terminal. */
  writeAsIs(text: string): Promise<void>
  /** Tells a person something that is no part of the answer, without what could steer a terminal. */
  tell(text: string): void
  /** Draws on the terminal where a person watches. */
  draw(text: string): void
  now(): number
  exitCode: ExitCode
}

interface Output {
  readonly isTTY?: boolean
  write(text: string): boolean
  once(event: 'drain', resume: () => void): unknown
}

/** What is needed of the process. */
interface Streams extends Pick<Terminal, 'env' | 'stdin'> {
  readonly stdout: Output
  readonly stderr: Output
}

export function terminalOf({ env, stdin, stdout, stderr }: Streams): Terminal {
  const writeAsIs = (text: string) =>
    new Promise<void>((resolve) => (stdout.write(text) ? resolve() : stdout.once('drain', resolve)))
  const draw = (text: string) => void stderr.write(text)
  return {
    env,
    hasColors: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    isWatched: stderr.isTTY === true && env.TERM !== 'dumb',
    stdin,
    isShown: stdout.isTTY === true,
    write: (text) => writeAsIs(cleanedLines(text)),
    writeAsIs,
    tell: (text) => draw(cleanedLines(text)),
    draw,
    now: () => Date.now(),
    exitCode: exitCodes.done,
  }
}
