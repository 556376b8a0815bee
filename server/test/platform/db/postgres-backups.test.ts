import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { describeGaps } from '../../../src/commands/gaps.ts'
import { openForCommand } from '../../../src/platform/db/open.ts'
import { eventually } from '../../harness/eventually.ts'
import { call, type Nodes, startNodes } from '../../harness/nodes.ts'
import { noteMissing } from '../../harness/run/debian-program.ts'
import { type PostgresServer, startPostgres } from '../../harness/run/embedded-postgres.ts'
import { root } from '../../harness/run/run-service.ts'
import { debianPostgres } from '../../harness/run/test-postgres.ts'
import { newDirectory, type Scratch } from '../../harness/scratch.ts'

// The commands and settings are read from the page on backups, with other paths.

const page = readFileSync(join(root, 'docs/backup.md'), 'utf8')
const lineOf = (start: string) => page.split('\n').find((line) => line.startsWith(start)) ?? ''

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const programs = onPostgres ? debianPostgres() : undefined
if (onPostgres && !programs) noteMissing('postgresql')

describe.if(programs !== undefined)('PostgreSQL, backed up as docs/backup.md describes it', () => {
  let home: Scratch
  let server: PostgresServer
  let shop: Nodes
  let sql: SQL
  let petId: number
  const place = async () => (await send(shop, 'POST', '/store/orders', { petId })).body.id
  const send = (nodes: Nodes, method: string, path: string, body?: unknown) =>
    call(nodes.nodes[0]?.url ?? '', shop.adminSecret, method, path, body)

  /** Runs a line of the page with other values. */
  function run(start: string, values: Record<string, string>): void {
    const line = Object.entries(values).reduce((text, [from, to]) => text.replace(from, to), lineOf(start))
    const env = { PATH: `${programs}:${process.env.PATH}` }
    const { status, stderr } = spawnSync('sh', ['-c', line], { cwd: home.path, env, encoding: 'utf8' })
    expect([line, status, status === 0 ? '' : stderr]).toEqual([line, 0, ''])
  }

  beforeAll(async () => {
    home = newDirectory()
    // PostgreSQL runs as another user.
    chmodSync(home.path, 0o755)
    mkdirSync(join(home.path, 'archive'))
    chmodSync(join(home.path, 'archive'), 0o777)
    const settings = ['archive_mode = on', 'archive_command = '].map((start) =>
      lineOf(start).replaceAll('/archive', join(home.path, 'archive')).replace(' = ', '=').replaceAll("'", ''),
    )
    server = await startPostgres(undefined, { programs, settings: ['fsync=off', ...settings] })
    shop = await startNodes(1, {}, server.url)
    const { body: category } = await send(shop, 'POST', '/categories', { name: 'Fish' })
    petId = (await send(shop, 'POST', '/pets', { name: 'Guppy', categoryId: category.id })).body.id
    await send(shop, 'PUT', `/store/inventory/${petId}`, { quantity: 100 })
    sql = new SQL(server.url, { max: 1 })
  })
  afterAll(async () => {
    await sql.close()
    await shop.stop()
    await server.remove()
    home.remove()
  })

  test('pg_dump and pg_restore give the shop as it was', async () => {
    const id = await place()
    run('pg_dump ', { $DATABASE_URL: server.url })
    const later = await place()
    await sql.unsafe('CREATE DATABASE restored')
    const url = new URL(server.url)
    url.pathname = '/restored'
    run('pg_restore ', { $DATABASE_URL: url.href })
    const restored = await startNodes(1, {}, url.href)
    const response = async (path: string) => (await send(restored, 'GET', path)).status
    expect([await response(`/store/orders/${id}`), await response(`/store/orders/${later}`)]).toEqual([200, 404])
    await using db = await openForCommand({ url: url.href, name: 'petstore-test' })
    expect(await describeGaps(db)).toEqual([])
    await restored.stop()
  })

  test('a base backup and the archived WAL give the shop as it was at a chosen moment', async () => {
    const copy = join(home.path, 'copy')
    run('pg_basebackup ', { '/backups/base': join(copy, 'data'), $DATABASE_URL: server.url })
    const id = await place()
    const [{ moment }] = await sql.unsafe('SELECT clock_timestamp()::text AS moment')
    const mistake = await place()
    const [{ file }] = await sql.unsafe('SELECT pg_walfile_name(pg_switch_wal()) AS file')
    await eventually(async () => {
      const [{ archived }] = await sql.unsafe('SELECT last_archived_wal AS archived FROM pg_stat_archiver')
      return archived >= file
    })
    const lines = ['restore_command', 'recovery_target_time', 'recovery_target_action'].map((name) =>
      lineOf(name).replace('/archive', join(home.path, 'archive')).replace('2026-11-15 12:00:00+00', moment),
    )
    appendFileSync(join(copy, 'data/postgresql.auto.conf'), `${lines.join('\n')}\n`)
    writeFileSync(join(copy, 'data/recovery.signal'), '')
    if (process.getuid?.() === 0) spawnSync('chown', ['-R', 'nobody', join(copy, 'data')])
    const recovered = await startPostgres(copy, { programs, settings: ['fsync=off', 'archive_mode=off'] })
    const there = new SQL(recovered.url, { max: 1 })
    await eventually(async () => !(await there.unsafe('SELECT pg_is_in_recovery() AS waits'))[0].waits)
    await there.close()
    const nodes = await startNodes(1, {}, recovered.url)
    const response = async (path: string) => (await send(nodes, 'GET', path)).status
    expect([await response(`/store/orders/${id}`), await response(`/store/orders/${mistake}`)]).toEqual([200, 404])
    await using db = await openForCommand({ url: recovered.url, name: 'petstore-test' })
    expect(await describeGaps(db)).toEqual([])
    await nodes.stop()
    await db.close()
    await recovered.remove()
  })
})
