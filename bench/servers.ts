import { join } from 'node:path'
import { type Running, root, runProgram, runService } from '../server/test/harness/run/run-service.ts'
import { pinned } from './load.ts'

export interface Server {
  readonly port: number
  readonly pid: number
  readonly stop: () => Promise<unknown>
}

// On the first core. The log is written as usual, but not read.
const errorsAre = 'dropped'
const before = pinned(0, [])

async function ready(running: Running, portOf: () => number): Promise<Server> {
  await running.ready
  return { pid: running.pid, port: portOf(), stop: () => running.kill('SIGKILL') }
}

/** A server on Bun. */
export function startServer(env: Record<string, string>, file: string, folder = root): Promise<Server> {
  const running = runService({
    before,
    errorsAre,
    env: { LOG_LEVEL: 'info', ...env },
    file: join(folder, file),
    cwd: folder,
  })
  return ready(running, () => running.port)
}

/** This service as `npm start` runs it; with a folder, that of another commit. */
export const startService = (databaseUrl: string, folder = root) =>
  startServer({ DATABASE_URL: databaseUrl, SAMPLE_DATA: 'false' }, 'server/src/main.ts', folder)

/** A server on Node. */
export function startPeer(env: Record<string, string>, file: string): Promise<Server> {
  const readyWhen = /is ready on port (\d+)\./
  const command = [...before, 'node', join(root, file)]
  const running = runProgram({ command, env: { PORT: '0', ...env }, errorsAre, readyWhen })
  return ready(running, () => Number(readyWhen.exec(running.output())?.[1]))
}
