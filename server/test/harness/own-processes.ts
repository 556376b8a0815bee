import { afterAll } from 'bun:test'
import { type Running, type RunningService, runService, type ServiceOptions } from './run/run-service.ts'
import { newDirectory, type Scratch } from './scratch.ts'

/** Directories and processes of one test file. They end with it, whatever happens to its tests. */
export function ownProcesses() {
  const directories: Scratch[] = []
  const processes: Running[] = []
  afterAll(async () => {
    await Promise.all(processes.map((process) => process.kill('SIGKILL')))
    for (const directory of directories) directory.remove()
  })
  const own = <P extends Running>(process: P): P => {
    processes.push(process)
    return process
  }
  return {
    newHome(): string {
      const directory = newDirectory()
      directories.push(directory)
      return directory.path
    },
    own,
    run: (cwd: string, env: Record<string, string> = {}, options: ServiceOptions = {}): RunningService =>
      own(runService({ ...options, cwd, env })),
  }
}
