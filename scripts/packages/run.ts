/** Runs commands in a directory. Throws with their output if they fail. */
export const runIn =
  (root: string) =>
  async (command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const child = Bun.spawn([...command], {
      cwd: root,
      env: { ...process.env, ...env },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()])
    if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed:\n${output}${errors}`)
  }
