import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { eventually } from './eventually.ts'
import { debianProgram } from './run/debian-program.ts'
import { onFreePort } from './run/free-port.ts'
import { newerDebianProgram } from './run/newer-debian-program.ts'

type Command = readonly string[]

/** This Debian's PgBouncer. Undefined if it is missing and cannot be installed. */
export function pgBouncer(): Command | undefined {
  const program = debianProgram('pgbouncer')
  return program === undefined ? undefined : [program]
}

/** One that follows prepared statements, which it can do since 1.21. */
export function preparingPgBouncer(): Command | undefined {
  const own = pgBouncer()
  if (own && isAtLeast(own, 1, 21)) return own
  const libraries = ['libcares2', 'libevent-2.1-7t64', 'libpam0g', 'libssl3t64', 'libsystemd0', 'libaudit1', 'libcap2']
  const theirs = ['libcap-ng0', 'libzstd1', 'zlib1g', 'libgcc-s1', 'libc6']
  return newerDebianProgram('trixie', 'pgbouncer', ['pgbouncer', ...libraries, ...theirs])
}

export function isAtLeast(command: Command, ...wanted: [major: number, minor: number]): boolean {
  const said = Bun.spawnSync([...command, '--version']).stdout.toString()
  const [, major, minor] = (/PgBouncer (\d+)\.(\d+)/.exec(said) ?? []).map(Number)
  return major !== undefined && minor !== undefined && major * 1_000 + minor >= wanted[0] * 1_000 + wanted[1]
}

export interface PgBouncer {
  /** The address of the same database through it. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts PgBouncer in front of a database. `settings` are lines of its configuration. */
export const startPgBouncer = (
  command: Command,
  databaseUrl: string,
  settings: readonly string[],
): Promise<PgBouncer> => onFreePort((port) => startOn(port, command, databaseUrl, settings))

async function startOn(
  ownPort: number,
  command: Command,
  databaseUrl: string,
  settings: readonly string[],
): Promise<PgBouncer> {
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const directory = mkdtempSync(join(tmpdir(), 'petstore-pgbouncer-'))
  const [users, configuration] = [join(directory, 'users.txt'), join(directory, 'pgbouncer.ini')]
  writeFileSync(users, `"${username}" "${password}"\n`)
  const lines = [
    '[databases]',
    `* = host=${hostname} port=${port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${ownPort}`,
    'unix_socket_dir =',
    'auth_type = scram-sha-256',
    `auth_file = ${users}`,
    ...settings,
  ]
  writeFileSync(configuration, `${lines.join('\n')}\n`)
  // As root it must be told which user to run as, and that user needs access to its files.
  const isRoot = process.getuid?.() === 0
  chmodSync(directory, 0o755)
  const words = ['--quiet', ...(isRoot ? ['--user', 'nobody'] : []), configuration]
  const bouncer = Bun.spawn([...command, ...words], { stdout: 'ignore', stderr: 'ignore' })
  const stop = async () => {
    bouncer.kill('SIGKILL')
    await bouncer.exited
    rmSync(directory, { recursive: true, force: true })
  }
  try {
    await listens(bouncer, ownPort)
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `postgres://${username}:${password}@127.0.0.1:${ownPort}${pathname}`, stop }
}

async function listens(bouncer: Subprocess, port: number): Promise<void> {
  const socket = await eventually(() => {
    if (bouncer.exitCode !== null) throw new Error('PgBouncer ended')
    return Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } }).catch(() => undefined)
  })
  socket.end()
}
