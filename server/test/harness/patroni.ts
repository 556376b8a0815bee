import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { isRunning, unprivilegedUser } from './run/embedded-postgres.ts'
import { onFreePort } from './run/free-port.ts'

const nodeCount = 3
const credentials = { username: 'petstore', password: 'petstore' }

interface Programs {
  readonly patroni: string
  readonly etcd: string
  /** The folder with PostgreSQL's programs. */
  readonly postgres: string
}

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
}

export interface PatroniCluster {
  /** All servers in one URL. */
  readonly url: string
  /** The name of the server that accepts writes, and the address of its database. */
  primary(): Promise<{ name: string; url: string }>
  /** Kills PostgreSQL with SIGKILL, and Patroni too if the whole machine is to die. */
  kill(name: string, whole: boolean): void
  /** Starts Patroni again if it was killed, and waits until every server follows the primary, synchronously if set. */
  repair(): Promise<void>
  remove(): Promise<void>
}

/** Three PostgreSQL servers under Patroni with etcd, on loopback. */
export const startPatroni = (programs: Programs, synchronous: boolean): Promise<PatroniCluster> =>
  onFreePort((port) => startFrom(port, programs, synchronous))

/** On this port and the following ones. Rejects if one of them is taken. */
async function startFrom(firstPort: number, programs: Programs, synchronous: boolean): Promise<PatroniCluster> {
  const home = mkdtempSync(join(tmpdir(), 'petstore-patroni-'))
  chmodSync(home, 0o755)
  const owner = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  const [client, peer] = [firstPort, firstPort + 1]
  const names = Array.from({ length: nodeCount }, (_, index) => `db${index + 1}`)
  const portsOf = (name: string) => {
    const postgres = firstPort + 2 + 2 * names.indexOf(name)
    return { postgres, api: postgres + 1 }
  }
  const running = new Map<string, ChildProcess>()
  const urlOf = (name: string) => `postgres://petstore:petstore@127.0.0.1:${portsOf(name).postgres}/postgres`

  /** The settings of one server. JSON is YAML. */
  const settingsOf = (name: string) => ({
    scope: 'petstore',
    name,
    restapi: { listen: `127.0.0.1:${portsOf(name).api}`, connect_address: `127.0.0.1:${portsOf(name).api}` },
    etcd3: { host: `127.0.0.1:${client}` },
    bootstrap: {
      dcs: {
        // The shortest that Patroni accepts. A crashed primary is not started again but replaced.
        ttl: 20,
        loop_wait: 2,
        retry_timeout: 3,
        primary_start_timeout: 0,
        synchronous_mode: synchronous,
        synchronous_mode_strict: synchronous,
        postgresql: { use_pg_rewind: true, parameters: { max_connections: 200, wal_keep_size: '1GB' } },
      },
      initdb: [{ encoding: 'UTF8' }, { locale: 'C' }],
    },
    postgresql: {
      listen: `127.0.0.1:${portsOf(name).postgres}`,
      connect_address: `127.0.0.1:${portsOf(name).postgres}`,
      data_dir: join(home, name, 'data'),
      bin_dir: programs.postgres,
      pgpass: join(home, name, 'pgpass'),
      authentication: { superuser: credentials, replication: { username: 'replicator', password: 'replicator' } },
      parameters: { unix_socket_directories: join(home, name) },
      pg_hba: ['all', 'replication'].map((database) => `host ${database} all 127.0.0.1/32 scram-sha-256`),
    },
    watchdog: { mode: 'off' },
  })

  function begin(name: string, command: string, words: readonly string[]): void {
    const child = spawn(command, words, { ...owner, cwd: home, stdio: 'ignore', detached: true })
    running.set(name, child)
  }

  function beginServer(name: string): void {
    const file = join(home, name, 'patroni.yml')
    mkdirSync(join(home, name), { recursive: true })
    writeFileSync(file, JSON.stringify(settingsOf(name)))
    if (owner) chownSync(join(home, name), owner.uid, owner.gid)
    begin(name, programs.patroni, [file])
  }

  async function members(): Promise<readonly Member[]> {
    const asked = names.map(async (name) => {
      const response = await fetch(`http://127.0.0.1:${portsOf(name).api}/cluster`, {
        signal: AbortSignal.timeout(1_000),
      })
      return ((await response.json()) as { members: Member[] }).members
    })
    return Promise.any(asked).catch(() => [])
  }

  async function isHealthy(expected: readonly string[]): Promise<boolean> {
    for (const [name, { exitCode }] of running) if (exitCode !== null) throw new Error(`${name} ended with ${exitCode}`)
    const known = await members()
    const roleCount = (role: string) => known.filter((member) => member.role === role).length
    const areUp = known.filter(({ state }) => ['running', 'streaming'].includes(state)).length === expected.length
    return (
      areUp && roleCount('leader') === 1 && (!synchronous || expected.length === 1 || roleCount('sync_standby') === 1)
    )
  }

  const postmasterOf = (name: string): number | undefined => {
    try {
      return Number(readFileSync(join(home, name, 'data/postmaster.pid'), 'utf8').split('\n', 1)[0])
    } catch {
      return undefined
    }
  }

  function kill(name: string, whole: boolean): void {
    if (whole) {
      running.get(name)?.kill('SIGKILL')
      running.delete(name)
    }
    const pid = postmasterOf(name)
    if (pid !== undefined && isRunning(pid)) process.kill(pid, 'SIGKILL')
  }

  async function repair(): Promise<void> {
    for (const name of names) if (!running.has(name)) beginServer(name)
    await eventually(() => isHealthy(names))
  }

  mkdirSync(join(home, 'etcd'), { mode: 0o700 })
  if (owner) chownSync(join(home, 'etcd'), owner.uid, owner.gid)
  const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
  begin('etcd', programs.etcd, [
    `--data-dir=${join(home, 'etcd')}`,
    ...[`--listen-client-urls=${clientUrl}`, `--advertise-client-urls=${clientUrl}`],
    ...[`--listen-peer-urls=${peerUrl}`, `--initial-advertise-peer-urls=${peerUrl}`],
    `--initial-cluster=default=${peerUrl}`,
  ])
  async function remove(): Promise<void> {
    for (const name of names) kill(name, true)
    running.get('etcd')?.kill('SIGKILL')
    await eventually(() => names.every((name) => !isRunning(postmasterOf(name) ?? 0)))
    rmSync(home, { recursive: true, force: true })
  }

  try {
    const [first = ''] = names
    beginServer(first)
    await eventually(() => isHealthy([first]))
    await repair()
  } catch (error) {
    await remove()
    throw error
  }
  const hosts = names.map((name) => `127.0.0.1:${portsOf(name).postgres}`).join(',')
  return {
    url: `postgres://petstore:petstore@${hosts}/postgres?target_session_attrs=read-write`,
    primary: () =>
      eventually(async () => {
        const leader = (await members()).find(({ role, state }) => role === 'leader' && state === 'running')
        return leader && { name: leader.name, url: urlOf(leader.name) }
      }),
    kill,
    repair,
    remove,
  }
}
