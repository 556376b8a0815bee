import { Failure } from './failure.ts'
import { readFirstLine } from './read-secret.ts'
import type { Terminal } from './terminal.ts'

/** Asks a person before something is lost; ends the command unless the answer is yes. Scripts are not asked. */
export async function confirm({ stdin, printMessage }: Terminal, question: string): Promise<void> {
  if (stdin.isTTY !== true) return
  printMessage(`${question} [y/N] `)
  const answer = (await readFirstLine(stdin)).trim()
  if (!/^y(es)?$/i.test(answer)) throw new Failure('Nothing was changed.')
}
