import { join } from 'node:path'
import { root } from '../../../scripts/run-service.ts'

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

/** Runs it to its end. It sees no environment but the path and what is given. */
export async function petstore(
  words: readonly string[],
  { env, cwd = root, input }: Surroundings = {},
): Promise<Ended> {
  const child = Bun.spawn([...program, ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdin: input === undefined ? 'ignore' : new Blob([input]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}
