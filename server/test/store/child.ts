import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../scripts/free-port.ts'
import { newSecret } from '../../src/keys/secret.ts'

const main = join(import.meta.dir, '../../src/main.ts')

interface ChildAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they expect
  readonly body: any
}

/** The service as a process of its own, which can be killed at any moment and started again on the same data. */
export interface Child {
  readonly databasePath: string
  start(): Promise<void>
  /** Ends the process as a power cut would: no handler runs, nothing is flushed. */
  kill(): Promise<void>
  /** Rejects when the connection breaks before the answer is whole. */
  send(method: string, path: string, body?: unknown, secret?: string): Promise<ChildAnswer>
  remove(): void
}

export async function createChild(): Promise<Child> {
  const directory = mkdtempSync(join(tmpdir(), 'petstore-child-'))
  const databasePath = join(directory, 'petstore.db')
  const port = await freePort()
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    DATABASE_URL: `sqlite:${databasePath}`,
    ADMIN_API_KEY: newSecret(),
    SAMPLE_DATA: 'false',
    LOG_LEVEL: 'error',
  }
  let key = env.ADMIN_API_KEY
  let running: ChildProcess | undefined

  const child: Child = {
    databasePath,
    async start() {
      const started = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] })
      running = started
      let said = ''
      for await (const chunk of started.stdout) {
        said += chunk
        if (said.includes('is ready')) break
      }
      if (!said.includes('is ready')) throw new Error('the service did not start')
      if (key !== env.ADMIN_API_KEY) return
      const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
      key = (await child.send('POST', '/keys', { name: 'Load', plan: 'enterprise', limits, preset: 'admin' })).body
        .secret
    },
    async kill() {
      if (!running || running.exitCode !== null || running.signalCode !== null) return
      const ended = once(running, 'exit')
      running.kill('SIGKILL')
      await ended
    },
    async send(method, path, body, secret = key) {
      const response = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { 'X-API-Key': secret, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      const text = await response.text()
      return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
    },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
  return child
}
