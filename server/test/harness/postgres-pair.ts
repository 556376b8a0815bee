import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type PostgresServer, startPostgres } from './run/embedded-postgres.ts'

export interface PostgresPair {
  readonly primary: PostgresServer
  readonly standby: PostgresServer
  /** Both servers in one URL; nodes use the one that accepts writes. */
  readonly url: string
}

/** A primary and its standby; `standbyEnv` is added to the environment of the standby. */
export async function startPostgresPair(standbyEnv: Record<string, string> = {}): Promise<PostgresPair> {
  const [primaryHome = '', standbyHome = ''] = ['primary', 'standby'].map((name) =>
    mkdtempSync(join(tmpdir(), `petstore-${name}-`)),
  )
  const primary = await startPostgres(primaryHome)
  await primary.stop('SIGINT')
  mkdirSync(standbyHome, { recursive: true })
  spawnSync('cp', ['-a', join(primaryHome, 'data'), standbyHome])
  const { hostname, port, username, password, pathname } = new URL(primary.url)
  appendFileSync(
    join(standbyHome, 'data', 'postgresql.auto.conf'),
    `primary_conninfo = 'host=${hostname} port=${port} user=${username} password=${password}'\n`,
  )
  writeFileSync(join(standbyHome, 'data', 'standby.signal'), '')
  await primary.start()
  const standby = await startPostgres(standbyHome, { env: standbyEnv })
  // The standby first: it responds, but accepts no writes.
  const hosts = [standby, primary].map(({ url }) => new URL(url).host).join(',')
  const url = `postgres://${username}:${password}@${hosts}${pathname}?target_session_attrs=read-write`
  return { primary, standby, url }
}
