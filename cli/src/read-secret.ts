import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import type { Terminal } from './terminal.ts'

const [enter, newline, interrupt, backspace, erase] = ['\r', '\n', '\x03', '\x7f', '\b']

/** Reads the first line of stdin, without echo if typed. A secret is never an argument: other users can see those. */
export async function readSecret({ stdin, printMessage }: Terminal, question: string): Promise<string> {
  const isTyped = stdin.isTTY === true
  if (isTyped) {
    // Before the question, so that no typed character is echoed.
    stdin.setRawMode?.(true)
    printMessage(question)
  }
  try {
    return (await readFirstLine(stdin)).trim()
  } finally {
    if (isTyped) {
      stdin.setRawMode?.(false)
      printMessage('\n')
    }
  }
}

/** From a person or from a pipe. */
export async function readFirstLine(stdin: Terminal['stdin']): Promise<string> {
  const decoder = new TextDecoder()
  let line = ''
  for await (const chunk of stdin) {
    for (const character of decoder.decode(chunk, { stream: true })) {
      if (character === enter || character === newline) return line
      if (character === interrupt) throw new Failure('Interrupted.', exitCodes.interrupted)
      line = character === backspace || character === erase ? line.slice(0, -1) : line + character
    }
  }
  return line
}
