// Only this file needs Node, Bun or Deno. Their modules are loaded by name when a host is started, so that types and bundlers
// for browsers need not know them.
import { readVariable } from '../environment.ts'

interface Stream {
  setEncoding(encoding: 'utf8'): void
  on(event: 'data', read: (text: string) => void): void
  unref?(): void
}

interface Child {
  readonly stdin: { unref?(): void }
  readonly stdout: Stream
  readonly stderr: Stream
  on(event: 'error', fail: (error: Error) => void): void
  on(event: 'close', end: (code: number | null) => void): void
  unref(): void
}

interface Modules {
  readonly spawn: (program: string, words: readonly string[], options: { stdio: 'pipe' }) => Child
  readonly existsSync: (path: string) => boolean
  readonly join: (...parts: string[]) => string
  readonly dirname: (path: string) => string
  readonly delimiter: string
  readonly cwd: () => string
  readonly platform: string
  readonly execPath: string
}

async function loadModules(): Promise<Modules> {
  const names = ['child_process', 'fs', 'path', 'process'].map((name) => `node:${name}`)
  return Object.assign({}, ...(await Promise.all(names.map((name) => import(name)))))
}

const howToStart =
  'Install @petstore/cli, put the executable `petstore` of a release on the PATH, or run `petstore sandbox` elsewhere and set PETSTORE_SANDBOX_URL to the URL that it prints.'

/** Starts `petstore sandbox` on a free port. It ends with this process in any case, because its input closes. Returns its address. */
export async function spawnHost(): Promise<string> {
  const modules = await loadModules()
  const failures: string[] = []
  for (const program of findPrograms(modules)) {
    try {
      return await startProgram(modules, program)
    } catch (error) {
      failures.push((error as Error).message)
    }
  }
  const reasons = failures.length > 0 ? failures : ['There is no program `petstore` in node_modules or on the PATH.']
  throw new Error(`No sandbox host could be started.\n${reasons.join('\n')}\n${howToStart}`)
}

function startProgram({ spawn, execPath }: Modules, program: string): Promise<string> {
  const [first, ...script] = program.endsWith('.js') ? [execPath, program] : [program]
  const child = spawn(first, [...script, 'sandbox', '--port', '0', '--json', '--with-parent'], { stdio: 'pipe' })
  return new Promise((resolve, reject) => {
    let output = ''
    let messages = ''
    child.stdout.setEncoding('utf8')
    child.stderr.setEncoding('utf8')
    child.stdout.on('data', (text) => {
      output += text
      const line = output.split('\n').find((each) => each.startsWith('{') && each.endsWith('}'))
      if (!line) return
      // Only now: nothing else keeps Node running while it waits. The tests end when they are done, with or without the host.
      for (const each of [child, child.stdin, child.stdout, child.stderr]) each.unref?.()
      resolve((JSON.parse(line) as { url: string }).url)
    })
    child.stderr.on('data', (text) => {
      messages = (messages + text).slice(-2_000)
    })
    child.on('error', ({ message }) => reject(new Error(`${program} does not start: ${message}`)))
    child.on('close', (code) => reject(new Error(`${program} sandbox ended with ${code}: ${messages.trim()}`)))
  })
}

/** The programs that npm installed here or above, then those on the path. There may be several, and some may not start. */
export function findPrograms(modules: Omit<Modules, 'spawn' | 'execPath'>): ReadonlySet<string> {
  const { existsSync, join, dirname, delimiter, cwd, platform } = modules
  const folders: string[] = []
  for (let folder = cwd(); folders.at(-1) !== folder; folder = dirname(folder)) folders.push(folder)
  const path = (readVariable('PATH') ?? '').split(delimiter).filter(Boolean)
  // Windows cannot start what npm puts into .bin. A global installation has node_modules beside that.
  const scriptIn = (place: string) => join(place, 'node_modules', '@petstore', 'cli', 'bin', 'petstore.js')
  const found =
    platform === 'win32'
      ? [...folders.map(scriptIn), ...path.flatMap((place) => [join(place, 'petstore.exe'), scriptIn(place)])]
      : [...folders.map((folder) => join(folder, 'node_modules', '.bin')), ...path].map((place) =>
          join(place, 'petstore'),
        )
  return new Set(found.filter(existsSync))
}
