import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The service as a user runs it: a process of its own, in a directory of its own.

export const root = join(import.meta.dir, '../../..')
const mainFile = join(root, 'server/src/main.ts')

export const newDirectory = (): string => mkdtempSync(join(tmpdir(), 'petstore-start-'))
export const removeDirectory = (path: string): void => rmSync(path, { recursive: true, force: true })

export interface Running {
  readonly pid: number
  readonly url: string
  /** What it has printed so far. */
  output(): string
  errors(): string
  /** Resolves when the service says that it is ready; rejects when it ends before. */
  readonly ready: Promise<void>
  readonly exited: Promise<number>
  kill(signal: 'SIGTERM' | 'SIGKILL' | 'SIGINT' | 'SIGHUP'): void
}

const children: { kill(signal: 'SIGKILL'): void }[] = []

/** Ends whatever a failed test has left running. */
export function endAll(): void {
  for (const child of children.splice(0)) child.kill('SIGKILL')
}

/** `wrapper` are words in front of the command, such as those of a shell that sets limits. */
export function run(
  directory: string,
  port: number,
  env: Record<string, string> = {},
  { program = mainFile, wrapper = [] }: { program?: string; wrapper?: readonly string[] } = {},
): Running {
  const child = Bun.spawn([...wrapper, process.execPath, program], {
    cwd: directory,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: { PATH: process.env.PATH ?? '', LOG_LEVEL: 'warn', PORT: String(port), ...env },
  })
  children.push(child)
  let output = ''
  let errors = ''
  const isReady = Promise.withResolvers<void>()
  const read = async (stream: ReadableStream<Uint8Array>, add: (text: string) => void) => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) add(decoder.decode(chunk, { stream: true }))
  }
  const reading = Promise.all([
    read(child.stdout, (text) => {
      output += text
      if (output.includes('is ready')) isReady.resolve()
    }),
    read(child.stderr, (text) => {
      errors += text
    }),
  ])
  const exited = Promise.all([child.exited, reading]).then(([code]) => code)
  void exited.then((code) => isReady.reject(new Error(`ended with ${code}: ${errors}`)))
  isReady.promise.catch(() => undefined)
  return {
    pid: child.pid,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    errors: () => errors,
    ready: isReady.promise,
    exited,
    kill: (signal) => child.kill(signal),
  }
}

export const keyIn = (output: string): string => /ps_[0-9A-Za-z]{36}/.exec(output)?.[0] ?? ''
