import { spawn } from 'node:child_process'

export interface Client {
  /** The program and its arguments. */
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** As long as it takes, unless given. */
  readonly timeoutMs?: number
  /** Ends it. */
  readonly signal?: AbortSignal
  /** Keeps our standard output for JSON: what the client writes goes to standard error. */
  readonly isQuiet?: boolean | undefined
}

/** Runs a client until it ends, or until its time is over. Returns what went wrong, if anything did. */
export function runClient(client: Client): Promise<string | undefined> {
  const { words, env, timeoutMs, signal, isQuiet } = client
  const [program = '', ...others] = words
  return new Promise((resolve) => {
    const child = spawn(program, others, { env, stdio: ['ignore', isQuiet ? 2 : 'inherit', 'inherit'] })
    const stop = () => child.kill()
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop)
    let isOver = false
    const end = () => {
      isOver = true
      child.kill('SIGKILL')
    }
    const timer = timeoutMs === undefined ? undefined : setTimeout(end, timeoutMs)
    const done = (fault?: string) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', stop)
      resolve(fault)
    }
    child.on('error', ({ message }) => done(`The client cannot be started: ${message}`))
    child.on('exit', (code, by) => {
      if (isOver) done(`The client did not end within ${(timeoutMs ?? 0) / 1000} s.`)
      else done(code === 0 ? undefined : `The client ended with ${by ?? `exit code ${code}`}.`)
    })
  })
}
