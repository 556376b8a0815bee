import { join } from 'node:path'
import { root } from '../../../server/test/harness/run/run-service.ts'
import { runProgram } from '../../src/program.ts'
import { type Terminal, terminalOf } from '../../src/terminal.ts'

export interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

interface Surroundings {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  readonly input?: string
}

/** The program as whoever types its name has it. */
export const program = [process.execPath, join(root, 'cli/src/petstore.ts')]

/** They lock the database's file as a process of their own does. */
const onDatabase = new Set(['serve', 'migrate', 'doctor', 'backup', 'restore', 'copy', '--admin'])

/** Runs it to its end. It sees no environment but the path and what is given. */
export async function petstore(words: readonly string[], { env, cwd, input }: Surroundings = {}): Promise<Ended> {
  const seen = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env }
  const needsProcess = cwd !== undefined || words.some((word) => onDatabase.has(word))
  return needsProcess ? asProcess(words, seen, cwd ?? root, input) : inProcess(words, seen, input)
}

/** Through the program's own entry: a command that only speaks to a service needs no process, which is most of what it costs. */
async function inProcess(words: readonly string[], env: Terminal['env'], input = ''): Promise<Ended> {
  const [stdout, stderr] = [collect(), collect()]
  const terminal = terminalOf({ env, stdin: new Blob([input]).stream(), stdout, stderr })
  const code = await runProgram([...words], terminal)
  return { code, output: stdout.text, errors: stderr.text }
}

/** An output that keeps what is written. */
const collect = () => ({
  text: '',
  write(text: string) {
    this.text += text
    return true
  },
  once: () => undefined,
})

async function asProcess(
  words: readonly string[],
  env: Record<string, string>,
  cwd: string,
  input: string | undefined,
): Promise<Ended> {
  const child = Bun.spawn([...program, ...words], {
    cwd,
    env,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}
