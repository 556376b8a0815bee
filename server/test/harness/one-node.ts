import { join } from 'node:path'
import { call, startNodes } from './nodes.ts'
import type { RunningService } from './run/run-service.ts'
import { newDirectory } from './scratch.ts'

/** The service as a separate process on SQLite, which can be killed at any time and restarted on the same data. */
export interface OneNode {
  readonly databasePath: string
  start(): Promise<void>
  /** Kills the process like a power cut: no handler runs, nothing is flushed. */
  kill(): Promise<void>
  /** Uses a key with all scopes and no practical limit by default. */
  send(method: string, path: string, body?: unknown, secret?: string): ReturnType<typeof call>
  /** Ends the process, if it runs, and deletes its data. */
  remove(): Promise<void>
}

/** `envOf` adds to its environment, given the directory of its data. */
export async function createOneNode(
  envOf: (directory: string) => Record<string, string> = () => ({}),
): Promise<OneNode> {
  const directory = newDirectory()
  const databasePath = join(directory.path, 'petstore.db')
  const nodes = await startNodes(0, { LOG_LEVEL: 'error', ...envOf(directory.path) }, `sqlite:${databasePath}`)
  let running: RunningService | undefined
  let staffSecret: string | undefined

  async function newStaffKey(url: string): Promise<string> {
    const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
    const key = { name: 'Load', plan: 'enterprise', limits, preset: 'admin' }
    return (await call(url, nodes.adminSecret, 'POST', '/keys', key)).body.secret
  }

  return {
    databasePath,
    async start() {
      running = await nodes.start()
      staffSecret ??= await newStaffKey(running.url)
    },
    async kill() {
      await running?.kill('SIGKILL')
    },
    async send(method, path, body, secret = staffSecret) {
      if (running === undefined) throw new Error('It was not started.')
      return call(running.url, secret as string, method, path, body)
    },
    async remove() {
      await nodes.stop()
      directory.remove()
    },
  }
}
