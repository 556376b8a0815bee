/** Another process on the same file, which has run some statements and waits. */
export interface Holder {
  /** Undoes what it holds and ends. */
  release(): Promise<void>
}

const program = `
  const { Database } = require('bun:sqlite')
  const [path, ...statements] = process.argv.slice(1)
  const db = new Database(path)
  db.run('PRAGMA busy_timeout = 60000')
  for (const statement of statements) db.query(statement).all()
  process.stdout.write('held')
  process.stdin.on('end', () => { db.close(); process.exit(0) }).resume()
`

export async function hold(path: string, ...statements: string[]): Promise<Holder> {
  const child = Bun.spawn([process.execPath, '-e', program, path, ...statements], { stdin: 'pipe', stdout: 'pipe' })
  const said = await child.stdout.getReader().read()
  if (said.done) throw new Error('the lock could not be had')
  return {
    async release() {
      child.stdin.end()
      await child.exited
    },
  }
}
