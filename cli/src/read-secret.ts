import { exitCodes } from './exit-codes.ts'
import { Failure } from './failure.ts'
import type { Terminal } from './terminal.ts'

const [enter, newline, interrupt, backspace, erase] = ['\r', '\n', '\x03', '\x7f', '\b']

/** The first line of what is piped in, or typed without showing. Never an argument: others can read those. */
export async function readSecret({ stdin, tell }: Terminal, question: string): Promise<string> {
  const isTyped = stdin.isTTY === true
  if (isTyped) {
    // Before the question: nothing that is typed may be seen.
    stdin.setRawMode?.(true)
    tell(question)
  }
  try {
    return (await firstLine(stdin)).trim()
  } finally {
    if (isTyped) {
      stdin.setRawMode?.(false)
      tell('\n')
    }
  }
}

async function firstLine(stdin: Terminal['stdin']): Promise<string> {
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
