// Only this file needs Node, Bun or Deno. Their modules are loaded by name when a host is started, so that types and bundlers
// for browsers need not know them.

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
  on(event: 'exit', end: (code: number | null) => void): void
  unref(): void
}

interface Modules {
  readonly spawn: (program: string, words: readonly string[], options: { stdio: 'pipe' }) => Child
  readonly existsSync: (path: string) => boolean
  readonly join: (...parts: string[]) => string
  readonly dirname: (path: string) => string
  readonly cwd: () => string
}

async function loadModules(): Promise<Modules> {
  const names = ['child_process', 'fs', 'path', 'process'].map((name) => `node:${name}`)
  return Object.assign({}, ...(await Promise.all(names.map((name) => import(name)))))
}

const howToStart =
  'Install @petstore/cli beside the service, or start a host elsewhere (`petstore sandbox`, or the container image) and set PETSTORE_SANDBOX_URL to its URL.'

/** Starts `petstore sandbox` on a free port. It ends with this process, however that ends: its input closes. Returns its address. */
export async function spawnHost(): Promise<string> {
  const modules = await loadModules()
  const child = modules.spawn(findProgram(modules), ['sandbox', '--port', '0', '--json', '--with-parent'], {
    stdio: 'pipe',
  })
  return new Promise((resolve, reject) => {
    let output = ''
    let messages = ''
    child.stdout.setEncoding('utf8')
    child.stderr.setEncoding('utf8')
    child.stdout.on('data', (text) => {
      output += text
      const line = output.split('\n').find((each) => each.startsWith('{') && each.endsWith('}'))
      if (line) resolve((JSON.parse(line) as { url: string }).url)
    })
    child.stderr.on('data', (text) => {
      messages = (messages + text).slice(-2_000)
    })
    child.on('error', ({ message }) => reject(new Error(`petstore cannot be started (${message}). ${howToStart}`)))
    child.on('exit', (code) =>
      reject(new Error(`petstore sandbox ended with ${code}: ${messages.trim()} ${howToStart}`)),
    )
    // The tests end when they are done, with or without it.
    for (const each of [child, child.stdin, child.stdout, child.stderr]) each.unref?.()
  })
}

/** The program that npm installed here or above, or the one on the path. */
function findProgram({ existsSync, join, dirname, cwd }: Modules): string {
  for (let folder = cwd(); ; folder = dirname(folder)) {
    const program = join(folder, 'node_modules', '.bin', 'petstore')
    if (existsSync(program)) return program
    if (dirname(folder) === folder) return 'petstore'
  }
}
