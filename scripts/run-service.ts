import { join } from 'node:path'

// The service as a process of its own, as whoever runs it has it. Tests, benches and `npm run cluster` start it by this.

export const root = join(import.meta.dir, '..')

interface Program {
  readonly command: readonly string[]
  readonly cwd?: string
  /** All that it sees of the environment, besides the path. */
  readonly env?: Readonly<Record<string, string>>
  /** What it prints when it is ready. */
  readonly readyWhen: RegExp
  /** What becomes of what it writes as errors: kept for `errors`, shown on our own, or thrown away. */
  readonly errorsAre?: 'kept' | 'shown' | 'dropped'
  /** Out of the reach of Ctrl-C, which goes to every process of the terminal. */
  readonly detached?: boolean
}

export interface Running extends AsyncDisposable {
  readonly pid: number
  /** What it has printed so far. */
  output(): string
  /** What it has written as errors so far; its log is there. */
  errors(): string
  /** Resolves when it says that it is ready; rejects when it ends before. */
  readonly ready: Promise<void>
  hasEnded(): boolean
  /** Its exit code, when it has ended and all it said has been read. */
  readonly exited: Promise<number>
  /** Sends the signal; resolves like `exited`. */
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): Promise<number>
  /** Processor time that it took from start to end; known when it has ended. */
  processorSeconds(): number
}

export interface RunningService extends Running {
  /** Known when it is ready. */
  readonly port: number
  readonly url: string
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
  // Whoever waits for the end only does not ask whether it was ever ready.
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
  /** Words before the program's own, such as those that bind it to a processor. */
  readonly before?: readonly string[]
  /** Another server, which says what the service says when it is ready. */
  readonly file?: string
}

/** Starts the service on a port that the system chooses, unless PORT is set; `ready` says when it answers. */
export function runService({ before = [], file, env, ...options }: ServiceOptions = {}): RunningService {
  const readyWhen = /is ready on port (\d+)\./
  const running = runProgram({
    command: [...before, process.execPath, file ?? join(root, 'server/src/main.ts')],
    env: { PORT: '0', LOG_LEVEL: 'warn', ...env },
    readyWhen,
    ...options,
  })
  const port = (): number => {
    const [, digits] = readyWhen.exec(running.output()) ?? []
    if (digits === undefined) throw new Error('The service is not ready, so its port is not known yet.')
    return Number(digits)
  }
  return {
    ...running,
    get port() {
      return port()
    },
    get url() {
      return `http://127.0.0.1:${port()}`
    },
  }
}

async function read(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }))
}
