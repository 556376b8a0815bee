import { root } from '../../../server/test/harness/run/run-service.ts'
import { programFile } from '../../../server/test/harness/run/test-programs.ts'
import { runProgram } from '../../src/program.ts'
import { type Terminal, terminalOf } from '../../src/terminal.ts'

export interface Ended {
  readonly code: number
  readonly output: string
  readonly errors: string
}

interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** Run it as a user does, in a new process, which is slow to start. */
  readonly asProcess?: boolean
}

/** The program as a user runs it. */
export const program = [process.execPath, programFile('petstore')]

/** Runs the program to its end. Its environment has only the path and what is given. */
export async function petstore(words: readonly string[], { env, input, asProcess }: RunOptions = {}): Promise<Ended> {
  const fullEnv = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env }
  return asProcess || words[0] === 'serve' ? runProcess(words, fullEnv, input) : runInProcess(words, fullEnv, input)
}

async function runInProcess(words: readonly string[], env: Terminal['env'], input = ''): Promise<Ended> {
  const [stdout, stderr] = [collect(), collect()]
  const nothing = () => undefined
  const streams = { env, stdin: new Blob([input]).stream(), stdout, stderr }
  const terminal = terminalOf({ ...streams, once: nothing, off: nothing, exit: nothing })
  const code = await runProgram([...words], terminal)
  return { code, output: stdout.text, errors: stderr.text }
}

/** An output that collects what is written. */
const collect = () => ({
  text: '',
  write(text: string) {
    this.text += text
    return true
  },
  once: () => undefined,
})

async function runProcess(
  words: readonly string[],
  env: Record<string, string>,
  input: string | undefined,
): Promise<Ended> {
  const child = Bun.spawn([...program, ...words], {
    cwd: root,
    env,
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}
