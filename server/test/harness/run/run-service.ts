import { join } from 'node:path'
import { programFile } from './test-programs.ts'

// Runs the service as a separate process, as users do. Tests, benches and `npm run cluster` use this.

export const root = join(import.meta.dir, '../../../..')

interface Program {
  readonly command: readonly string[]
  readonly cwd?: string
  /** Its environment, in addition to PATH. */
  readonly env?: Readonly<Record<string, string>>
  /** What it prints when it is ready. */
  readonly readyWhen: RegExp
  /** Its standard error: kept for `errors`, shown on ours, or dropped. */
  readonly errorsAre?: 'kept' | 'shown' | 'dropped'
  /** Not reached by Ctrl-C, which goes to every process of the terminal. */
  readonly detached?: boolean
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  /** Its standard output so far. */
  output(): string
  /** Its standard error so far, which includes its log. */
  errors(): string
  /** Resolves when it is ready; rejects if it ends before. */
  readonly ready: Promise<void>
  hasEnded(): boolean
  /** Its exit code, once it has ended and its output has been read. */
  readonly exited: Promise<number>
  /** Sends the signal; resolves like `exited`. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): Promise<number>
  /** Its CPU time from start to end; known once it has ended. */
  processorSeconds(): number
}

export interface RunningService extends Running {
  /** Known when it is ready. */
  readonly port: number
  readonly url: string
  /** Why it could not start: the message of its last log line. */
  failure(): string
  /** With METRICS_PORT; known when it is ready. */
  readonly metricsPort: number
}

const streams = { kept: 'pipe', shown: 'inherit', dropped: 'ignore' } as const

export function runProgram(program: Program): Running {
  const { command, cwd = root, env = {}, readyWhen, errorsAre = 'kept', detached = false } = program
  const child = Bun.spawn([...command], {
    cwd,
    env: { PATH: process.env.PATH ?? '', ...env },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: streams[errorsAre],
    detached,
  })
  const ready = Promise.withResolvers<void>()
  let output = ''
  let errors = ''
  let ended = false
  const reading = Promise.all([
    read(child.stdout, (text) => {
      output += text
      if (readyWhen.test(output)) ready.resolve()
    }),
    child.stderr &&
      read(child.stderr, (text) => {
        errors += text
      }),
  ])
  const exited = Promise.all([child.exited, reading]).then(([exitCode]) => {
    ended = true
    ready.reject(new Error(`${command.join(' ')} ended with ${exitCode}: ${errors}`))
    return exitCode
  })
  // Callers that only wait for the end do not handle `ready`.
  ready.promise.catch(() => undefined)
  const kill: Running['kill'] = (signal) => {
    child.kill(signal)
    return exited
  }
  return {
    pid: child.pid,
    output: () => output,
    errors: () => errors,
    ready: ready.promise,
    hasEnded: () => ended,
    exited,
    kill,
    processorSeconds: () => Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
    async [Symbol.asyncDispose]() {
      await kill('SIGKILL')
    },
  }
}

export interface ServiceOptions extends Omit<Program, 'command' | 'readyWhen'> {
  /** Words before the command, for example to pin it to a core. */
  readonly before?: readonly string[]
  /** Another server, which prints the same line when it is ready. */
  readonly file?: string
}

/** Starts the service on a port that the system chooses, unless PORT is set; `ready` resolves once it serves. */
export function runService({ before = [], file, env, ...options }: ServiceOptions = {}): RunningService {
  const readyWhen = /is ready on port (\d+)\./
  const running = runProgram({
    command: [...before, process.execPath, file ?? programFile('service')],
    env: { PORT: '0', LOG_LEVEL: 'warn', ...env },
    readyWhen,
    ...options,
  })
  const portIn = (line: RegExp): number => {
    const [, digits] = line.exec(running.output()) ?? []
    if (digits === undefined) throw new Error('The service is not ready or has no such port.')
    return Number(digits)
  }
  const port = () => portIn(readyWhen)
  return {
    ...running,
    get port() {
      return port()
    },
    get url() {
      return `http://127.0.0.1:${port()}`
    },
    failure: () => JSON.parse(running.errors().trimEnd().split('\n').at(-1) ?? '').message,
    get metricsPort() {
      return portIn(/Metrics +on port (\d+)/)
    },
  }
}

async function read(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}
