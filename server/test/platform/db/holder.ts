/** Another process that has run some statements on the file and keeps its transaction open. */
export interface Holder {
  /** Rolls back and ends the process. */
  release(): Promise<void>
}

const program = `
  const { Database } = require('bun:sqlite')
  const [path, ...statements] = process.argv.slice(1)
  const db = new Database(path)
  db.run('PRAGMA busy_timeout = 60000')
  for (const statement of statements) db.query(statement).all()
  process.stdout.write('ready')
  process.stdin.on('end', () => { db.close(); process.exit(0) }).resume()
`

export async function hold(path: string, ...statements: string[]): Promise<Holder> {
  const child = Bun.spawn([process.execPath, '-e', program, path, ...statements], { stdin: 'pipe', stdout: 'pipe' })
  const output = await child.stdout.getReader().read()
  if (output.done) throw new Error('the statements failed')
  return {
    async release() {
      child.stdin.end()
      await child.exited
    },
  }
}
