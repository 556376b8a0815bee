import { type ExitCode, exitCodes } from './exit-codes.ts'

/** What a command knows of the process around it. Only petstore.ts and this file touch the process itself. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether answers may be coloured: a person reads them and NO_COLOR is not set. */
  readonly hasColors: boolean
  /** Whether a person watches what is told besides the answer. */
  readonly isWatched: boolean
  readonly stdin: AsyncIterable<Uint8Array> & { readonly isTTY?: boolean; setRawMode?(raw: boolean): void }
  /** Writes a part of the answer; resolves when there is room for more. */
  write(text: string): Promise<void>
  /** Tells a person something that is no part of the answer. */
  tell(text: string): void
  now(): number
  exitCode: ExitCode
}

export function terminalOf({ env, stdin, stdout, stderr }: NodeJS.Process): Terminal {
  return {
    env,
    hasColors: stdout.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
    isWatched: stderr.isTTY === true && env.TERM !== 'dumb',
    stdin,
    write: (text) => new Promise((resolve) => (stdout.write(text) ? resolve() : stdout.once('drain', resolve))),
    tell: (text) => void stderr.write(text),
    now: () => Date.now(),
    exitCode: exitCodes.done,
  }
}
