import { type Ended, program } from './petstore.ts'

/** Runs a shell script in which "$@" is the program with these words: for pipes, redirections and limits. */
export async function inShell(
  script: string,
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = Bun.spawn(['sh', '-c', script, 'sh', ...program, ...words], {
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, errors, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { code, output, errors }
}
