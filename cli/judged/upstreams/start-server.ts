import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'

interface Options {
  readonly node: string
  /** Prints the port. */
  readonly script: string
  readonly env?: Readonly<Record<string, string>>
  /** Stores what the client reads. */
  fill(url: string): Promise<void>
}

/** Ends the server when this process ends, however it does. */
const untilEnd = "process.stdin.resume().on('end', () => process.exit());"

/** Runs a server that npm installed, as a process of its own. */
export async function startServer({ node, script, env = {}, fill }: Options) {
  const child = Bun.spawn([node, '-e', untilEnd + script], {
    // Packages are looked up from here.
    cwd: import.meta.dir,
    env: { PATH: process.env.PATH, ...env },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const stop = async () => {
    child.kill('SIGKILL')
    await child.exited
  }
  try {
    const lines = createInterface(Readable.fromWeb(child.stdout as never))
    const port = await new Promise<string>((resolve, reject) => {
      lines.on('line', (line) => /^\d+$/.test(line) && resolve(line))
      lines.on('close', () => reject(new Error('The server ended before it printed its port.')))
    })
    const url = `http://127.0.0.1:${port}`
    await fill(url)
    return { url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
