import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { copyDatabase } from '../../server/src/commands/copy.ts'
import { migrate, versionOf } from '../../server/src/platform/db/migrate.ts'
import { openForCommand } from '../../server/src/platform/db/open.ts'
import { openSqlite } from '../../server/src/platform/db/sqlite.ts'
import { lockForServing } from '../../server/src/platform/db/sqlite-lock.ts'
import { petShop } from '../../server/src/shop/index.ts'
import { createTestDatabase, type TestDatabase } from '../../server/test/harness/database.ts'
import { eventually } from '../../server/test/harness/eventually.ts'
import { call, type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { runProgram } from '../../server/test/harness/run/run-service.ts'
import { newDirectory, type Scratch } from '../../server/test/harness/scratch.ts'
import { fileAt, newestAt, removeOlder } from '../src/database/backup-directory.ts'
import { petstore, program } from './harness/petstore.ts'

// Commands that use the database directly, on the engine under test.

const onSqlite = process.env.TEST_ENGINE !== 'postgres'
const nowhere = { DATABASE_URL: onSqlite ? 'sqlite:/nonexistent/petstore.db' : 'postgres://a:b@127.0.0.1:1/none' }

let home: Scratch
let shop: Nodes
let env: Record<string, string>
beforeAll(async () => {
  home = newDirectory()
  shop = await startNodes(1, { SAMPLE_DATA: 'true' })
  env = { DATABASE_URL: shop.databaseUrl }
})
afterAll(async () => {
  await shop.stop()
  home.remove()
})

const others: TestDatabase[] = []
afterAll(() => Promise.all(others.map((database) => database.remove())))
async function emptyDatabase(): Promise<string> {
  const database = await createTestDatabase()
  others.push(database)
  return database.url
}

/** Starts `petstore serve` and waits until it is ready. */
async function serve(words: string[], more: Record<string, string>) {
  const running = runProgram({
    command: [...program, 'serve', ...words],
    env: { LOG_LEVEL: 'warn', PORT: '0', ...more },
    readyWhen: /is ready on port (\d+)\./,
  })
  await running.ready
  const [, port] = /is ready on port (\d+)\./.exec(running.output()) ?? []
  return { running, url: `http://127.0.0.1:${port}` }
}

const pets = async (url: string, secret: string) => (await call(url, secret, 'GET', '/pets?limit=100')).body

test('serve starts an empty shop, and the sample shop with --sample; a signal ends it', async () => {
  const secretIn = (output: string) => /ps_\w{36}/.exec(output)?.[0] ?? ''
  const bare = await serve([], { DATABASE_URL: await emptyDatabase() })
  expect(await pets(bare.url, secretIn(bare.running.output()))).toEqual([])
  expect(await bare.running.kill('SIGTERM')).toBe(0)
  const full = await serve(['--sample'], { DATABASE_URL: await emptyDatabase() })
  expect((await pets(full.url, secretIn(full.running.output()))).length).toBeGreaterThanOrEqual(40)
  expect(await full.running.kill('SIGINT')).toBe(0)
})

test('serve reports invalid settings', async () => {
  const { code, errors } = await petstore(['serve', '--port', '99999'], { env })
  expect([code, JSON.parse(errors).message.includes('PORT is "99999"')]).toEqual([1, true])
})

test('migrate reports what it would do, does it, and fails without a database', async () => {
  const fresh = { DATABASE_URL: await emptyDatabase() }
  expect((await petstore(['migrate', '--check'], { env: fresh })).code).toBe(1)
  expect((await petstore(['migrate'], { env: fresh })).output).toEndWith('The schema is up to date.\n')
  expect((await petstore(['migrate', '--check'], { env: fresh })).code).toBe(0)
  expect((await petstore(['migrate'], { env: { DATABASE_URL: 'mysql://x' } })).code).toBe(2)
})

test('copy moves everything to an empty database, and rejects one that is not', async () => {
  const to = `sqlite:${join(home.path, 'copy.db')}`
  const stopped = join(home.path, 'stopped.db')
  const saved = await petstore(['backup', stopped], { env })
  const from = onSqlite ? `sqlite:${stopped}` : shop.databaseUrl
  const done = await petstore(['copy', from, to])
  const copied = Number(/^Copied (\d+) rows\./m.exec(done.output)?.[1])
  expect([done.code, copied > 0]).toEqual([0, true])
  if (onSqlite) expect(saved.output).toContain(` ${copied.toLocaleString('en')} rows`)
  const again = await petstore(['copy', from, to])
  expect([again.code, again.errors]).toEqual([1, expect.stringContaining('is not empty')])
})

test.if(onSqlite)('copy rejects a file in use: changes made meanwhile would be lost', async () => {
  const to = join(home.path, 'copy-of-served.db')
  const rejected = await petstore(['copy', shop.databaseUrl, `sqlite:${to}`])
  expect([rejected.code, rejected.errors.includes('is served by process')]).toEqual([1, true])
  expect(existsSync(to)).toBe(false)
})

test.if(onSqlite)('no service can start on a file while it is copied', async () => {
  const from = join(realpathSync(home.path), 'copied.db')
  expect((await petstore(['backup', from], { env })).code).toBe(0)
  let tables = 0
  const onTable = () => {
    tables++
    expect(() => lockForServing(from)).toThrow('served by process')
  }
  await copyDatabase({ fromUrl: `sqlite:${from}`, toUrl: `sqlite:${from}-2`, now: Date.now(), onTable })
  expect(tables).toBeGreaterThan(5)
  lockForServing(from).release()
})

test('doctor reports a healthy shop, and an error with a fix', async () => {
  const url = shop.nodes[0]?.url ?? ''
  const healthy = await petstore(['doctor', '--json'], { env: { ...env, BASE_URL: url } })
  expect(healthy.code).toBe(0)
  const findings = JSON.parse(healthy.output) as { check: string; state: string }[]
  // The test server is tuned for speed, which doctor warns about.
  const others = findings.filter(({ check }) => check !== 'settings')
  expect(others.map(({ check, state }) => `${check} ${state}`)).toEqual([
    'configuration ok',
    'database ok',
    'clock ok',
    'data ok',
    'disk ok',
    'service ok',
  ])
  const ill = await petstore(['doctor'], { env: { DATABASE_URL: 'mysql://x', PORT: 'x' } })
  expect(ill.code).toBe(1)
  expect(ill.output).toContain('→ Correct these environment variables')
  // The findings are aligned, whatever the check and its state.
  for (const line of ill.output.trimEnd().split('\n')) expect(line).toMatch(/^(\w[\w ]{22}| {23})\S/)
  const broken = join(home.path, 'broken.db')
  writeFileSync(broken, 'no database at all, but long enough to be looked at'.repeat(50))
  const damaged = await petstore(['doctor'], { env: { DATABASE_URL: `sqlite:${broken}` } })
  expect([damaged.code, /^database +error/m.test(damaged.output)]).toEqual([1, true])
})

test('keys create --admin creates a key that the running service accepts, and rejects invalid options', async () => {
  const created = await petstore(['keys', 'create', '--admin', '--json'], { env, asProcess: true })
  const { secret, limits } = JSON.parse(created.output)
  expect(limits).toEqual({ perMinute: 10_000, perDay: 10_000_000 })
  expect((await call(shop.nodes[0]?.url ?? '', secret, 'GET', '/keys')).status).toBe(200)
  const wide = ['keys', 'create', '--admin', '--per-minute', '77', '--per-day', '78', '--json']
  expect(JSON.parse((await petstore(wide, { env })).output).limits).toEqual({ perMinute: 77, perDay: 78 })
  const rejected = await petstore(['keys', 'create', '--admin', '--plan', 'gold'], { env })
  expect([rejected.code, rejected.errors.includes('plan: must be one of')]).toEqual([1, true])
  const half = await petstore(['keys', 'create', '--admin', '--plan', 'enterprise', '--per-minute', '5'], { env })
  expect([half.code, half.errors.includes('limits/perDay: is required')]).toEqual([1, true])
  expect((await petstore(['keys', 'create', '--admin'], { env: nowhere })).code).toBe(1)
})

test('with --json, commands on the database print what they did as JSON', async () => {
  const run = async (words: string[], url: string) => {
    const { output } = await petstore([...words, '--json'], { env: { DATABASE_URL: url } })
    return output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
  }
  const fresh = await emptyDatabase()
  const [checked] = await run(['migrate', '--check'], fresh)
  expect(checked).toMatchObject({
    isUpToDate: false,
    pending: expect.arrayContaining([{ version: 1, name: 'platform' }]),
  })
  const [migrated] = await run(['migrate'], fresh)
  expect(migrated).toMatchObject({ isUpToDate: true, pending: [], applied: expect.arrayContaining(['platform']) })

  const folder = join(home.path, 'as-json')
  const file = join(folder, 'one.db')
  mkdirSync(folder)
  const old = 'petstore-2026-01-01T00-00-00-000Z.db'
  writeFileSync(join(folder, old), '')
  const written = { bytes: expect.any(Number), rows: expect.any(Number), gaps: [] }
  expect(await run(['backup', file], shop.databaseUrl)).toEqual([{ file, ...written }])
  expect(await run(['backup', '--keep', '1d', folder], shop.databaseUrl)).toEqual([
    { file: expect.stringContaining(folder), ...written },
    { removed: old },
  ])
  expect(await run(['restore', file], await emptyDatabase())).toEqual([{ file }])
  const [copied] = await run(['copy', `sqlite:${file}`, `sqlite:${join(folder, 'copy.db')}`], '')
  expect(copied).toMatchObject({ rows: expect.any(Number), tables: { pets: expect.any(Number) } })
})

function changeFile(file: string, statements: string): void {
  using connection = new Connection(file)
  connection.run(statements)
}

describe('backup and restore', () => {
  /** A backup of the shop under another name: taken once, because each is restored as a check. */
  const backupAs = async (name: string): Promise<string> => {
    const taken = join(home.path, 'taken-once.db')
    if (!existsSync(taken)) await petstore(['backup', taken], { env })
    const file = join(home.path, name)
    copyFileSync(taken, file)
    return file
  }

  test('a backup of the running shop, restored, is the shop as it was', async () => {
    const url = shop.nodes[0]?.url ?? ''
    const before = await pets(url, shop.adminSecret)
    const file = join(home.path, 'backup.db')
    const taken = await petstore(['backup', file], { env, asProcess: true })
    expect([taken.code, taken.errors]).toEqual([0, ''])
    expect(statSync(file).mode & 0o077).toBe(0)
    await call(url, shop.adminSecret, 'PATCH', '/pets/1', { name: 'Renamed after the backup' })

    const target = await emptyDatabase()
    const restored = await petstore(['restore', file], { env: { DATABASE_URL: target } })
    expect([restored.code, restored.errors]).toEqual([0, ''])
    expect(restored.output).toBe(
      `Restored ${file} to ${target.startsWith('sqlite:') ? target.slice('sqlite:'.length) : 'PostgreSQL'}.\n`,
    )
    const node = await startNodes(1, {}, target)
    expect(await pets(node.nodes[0]?.url ?? '', shop.adminSecret)).toEqual(before)
    await node.stop()
    expect(readdirSync(home.path).filter((name) => name.includes('.part'))).toEqual([])
  })

  test('a backup overwrites nothing, and a missing database is rejected', async () => {
    const file = join(home.path, 'there.db')
    writeFileSync(file, 'mine')
    const rejected = await petstore(['backup', file], { env })
    expect([rejected.code, rejected.errors.includes('a backup never replaces a file')]).toEqual([1, true])
    const nowhereElse = join(home.path, 'missing/shop.db')
    expect((await petstore(['backup', nowhereElse], { env })).errors).toBe(
      `There is no directory ${join(home.path, 'missing')}. Create it, or choose another one.\n`,
    )
    const other = join(home.path, 'never.db')
    expect((await petstore(['backup', other], { env: nowhere })).code).toBe(1)
    expect(existsSync(other)).toBe(false)
  })

  test('only a backup is restored', async () => {
    const file = join(home.path, 'notes.txt')
    writeFileSync(file, 'This is not a database.')
    const target = await emptyDatabase()
    const rejected = await petstore(['restore', file], { env: { DATABASE_URL: target } })
    expect([rejected.code, rejected.errors]).toEqual([
      1,
      `${file} cannot be restored. It cannot be read as a database (file is not a database). Name a file that petstore backup wrote. Nothing was changed.\n`,
    ])
    const none = join(home.path, 'none')
    const missing = await petstore(['restore', none], { env: { DATABASE_URL: target } })
    expect(missing.errors).toBe(`There is no file ${none}. Name a file that petstore backup wrote.\n`)
  })

  test('copy says which of its two databases is wrong', async () => {
    const file = join(home.path, 'letters.txt')
    writeFileSync(file, 'This is not a database.')
    const target = await emptyDatabase()
    expect((await petstore(['copy', `sqlite:${file}`, target])).errors).toBe(
      `The database to copy from, ${file}, cannot be opened (file is not a database). Name another one. Nothing was copied.\n`,
    )
    const misused = await petstore(['copy', file, target])
    expect([misused.code, misused.errors]).toEqual([2, expect.stringMatching(/^<from> must be sqlite:<path>/)])
  })

  test('a file whose statistics changed is restored: they are not part of the schema', async () => {
    const file = await backupAs('analyzed.db')
    changeFile(file, 'ANALYZE')
    const restored = await petstore(['restore', file], { env: { DATABASE_URL: await emptyDatabase() } })
    expect([restored.code, restored.errors]).toEqual([0, ''])
  })

  test.each([
    ['a trigger', 'CREATE TRIGGER theirs AFTER INSERT ON orders BEGIN DELETE FROM bans; END'],
    ['a view', 'CREATE VIEW theirs AS SELECT hash FROM api_key_secrets'],
    ['an index', 'CREATE INDEX theirs ON pets (held)'],
    ['a table', 'CREATE TABLE theirs (id)'],
    [
      'another body of a trigger of ours',
      `DROP TRIGGER pets_count_delete;
       CREATE TRIGGER pets_count_delete AFTER DELETE ON pets BEGIN SELECT 'theirs'; END`,
    ],
    ['a trigger of ours missing', 'DROP TRIGGER pets_count_delete'],
  ])('a file with %s that the migrations did not make is not restored', async (_, change) => {
    const file = await backupAs(`changed-${Bun.hash(change)}.db`)
    changeFile(file, change)
    const rejected = await petstore(['restore', file], { env: { DATABASE_URL: await emptyDatabase() } })
    expect([
      rejected.code,
      /Its schema differs from what this program creates.*(theirs|pets_count_delete)/.test(rejected.errors),
    ]).toEqual([1, true])
  })

  test.if(onSqlite)('a file in use is not replaced, and a replaced file is kept', async () => {
    const file = await backupAs('again.db')
    const served = await petstore(['restore', file], { env })
    expect([served.code, served.errors.includes('is served by process')]).toEqual([1, true])
    const copy = join(home.path, 'copy-of-it.db')
    await petstore(['restore', file], { env: { DATABASE_URL: `sqlite:${copy}` } })
    const twice = await petstore(['restore', file], { env: { DATABASE_URL: `sqlite:${copy}` } })
    const [, kept = ''] = /is now (\S+)\.$/m.exec(twice.output) ?? []
    expect([twice.code, existsSync(kept), statSync(kept).mode & 0o077]).toEqual([0, true, 0])
  })

  test.if(onSqlite)('a database that was kept is restored with the commits that are only in its log', async () => {
    const file = await backupAs('kept.db')
    const db = new Connection(file)
    db.run('PRAGMA journal_mode = WAL')
    db.run("UPDATE pets SET name = 'In the log only' WHERE id = 1")
    const kept = join(home.path, 'kept.db.before-now')
    for (const log of ['', '-wal']) copyFileSync(file + log, kept + log)
    db.close()
    const target = join(home.path, 'from-kept.db')
    const restored = await petstore(['restore', kept], { env: { DATABASE_URL: `sqlite:${target}` } })
    expect([restored.code, restored.errors]).toEqual([0, ''])
    using found = new Connection(target)
    expect(found.query('SELECT name FROM pets WHERE id = 1').get()).toEqual({ name: 'In the log only' })
  })

  const backupsIn = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('petstore-'))

  test('a backup is restored before it gets its name, and says so; gaps of the shop itself are reported', async () => {
    const target = await emptyDatabase()
    const node = await startNodes(1, { SAMPLE_DATA: 'true' }, target)
    await node.stop()
    const file = join(home.path, 'restored-once.db')
    const whole = await petstore(['backup', file], { env: { DATABASE_URL: target } })
    expect([whole.code, whole.errors]).toEqual([0, ''])
    expect(whole.output).toMatch(/bytes, [\d,]+ rows, restored once and compared\.\n$/)
    expect(readdirSync(home.path).filter((name) => name.startsWith('restored-once.db.'))).toEqual([])
    await using db = await openForCommand({ url: target, name: 'petstore-test' })
    await db.exclusively((tx) => tx.query('UPDATE inventory SET quantity = quantity + 1 WHERE pet_id = 1'))
    const gappy = await petstore(['backup', join(home.path, 'gappy.db')], { env: { DATABASE_URL: target } })
    expect(gappy.code).toBe(0)
    expect(gappy.errors).toContain('1 pets whose stock history does not add up to their stock')
  })

  test.if(onSqlite)('the database of an older release is backed up as it is, before an upgrade', async () => {
    const path = join(home.path, 'older-release.db')
    await using db = openSqlite(path)
    await migrate(db, 0, petShop.migrations.slice(0, 1))
    const file = join(home.path, 'before-upgrade.db')
    const { code, errors } = await petstore(['backup', file], { env: { DATABASE_URL: `sqlite:${path}` } })
    expect([code, errors]).toEqual([0, ''])
    await using copy = openSqlite(file)
    expect(await versionOf(copy)).toBe(1)
  })

  test('--keep removes backups that are older, and what interrupted ones left; never the newest or other files', async () => {
    const folder = join(home.path, 'kept')
    const at = (age: number) => `petstore-${new Date(Date.now() - age).toISOString().replaceAll(/[:.]/g, '-')}.db`
    const day = 86_400_000
    const [old, older, young] = [at(8 * day), at(80 * day), at(6 * day)]
    mkdirSync(folder)
    for (const name of [old, older, young, `${old}.part`, 'notes.txt', 'petstore-old.db'])
      writeFileSync(join(folder, name), '')
    const failed = await petstore(['backup', '--keep', '7d', folder], { env: nowhere })
    expect([failed.code, backupsIn(folder).includes(older)]).toEqual([1, true])
    const { code, output } = await petstore(['backup', '--keep', '7d', folder], { env })
    expect([code, output.match(/^Removed .*$/gm)]).toEqual([0, [`Removed ${older}.`, `Removed ${old}.`]])
    const left = readdirSync(folder)
    for (const name of [young, 'notes.txt', 'petstore-old.db']) expect(left).toContain(name)
    expect(left).toHaveLength(4)
    for (const time of ['7 days', '0d']) {
      expect((await petstore(['backup', '--keep', time, folder], { env })).code).toBe(2)
    }
  })

  test('what an interrupted backup left is no backup', () => {
    const folder = join(home.path, 'interrupted')
    const [now, day] = [Date.now(), 86_400_000]
    const [complete, part] = [fileAt(folder, now - 8 * day), fileAt(folder, now - 1_000)]
    for (const file of [complete, `${part}.part`]) writeFileSync(file, '')
    expect(newestAt(folder, now)).toBe(now - 8 * day)
    expect(removeOlder(folder, now - 7 * day, now)).toEqual([])
    expect(readdirSync(folder)).toContain(basename(complete))
  })

  test('--every writes backups until it is stopped, each of which can be restored', async () => {
    const folder = join(home.path, 'regular')
    // From a clock that was wrong.
    const ahead = 'petstore-2099-01-01T00-00-00-000Z.db'
    mkdirSync(folder)
    writeFileSync(join(folder, ahead), '')
    const running = runProgram({
      command: [...program, 'backup', '--every', '1s', '--keep', '1d', folder],
      env,
      readyWhen: /restored once and compared[\s\S]*restored once and compared/,
    })
    await running.ready
    expect(await running.kill('SIGTERM')).toBe(0)
    const [first = ''] = backupsIn(folder).filter((name) => name !== ahead)
    const restored = await petstore(['restore', join(folder, first)], { env: { DATABASE_URL: await emptyDatabase() } })
    expect([restored.code, restored.errors]).toEqual([0, ''])
  })

  test('--every reports a failure, tries again no sooner than asked, and goes on when the database is back', async () => {
    const folder = join(home.path, 'regular-after-failures')
    await using running = runProgram({
      command: [...program, 'backup', '--every', '1s', folder],
      env: onSqlite ? { DATABASE_URL: `sqlite:${join(home.path, 'comes-later.db')}` } : nowhere,
      readyWhen: /restored once and compared/,
    })
    const failures = () => [...running.errors().matchAll(/^(\S+) No backup: /gm)].map(([, at = '']) => Date.parse(at))
    await eventually(() => failures().length >= 3)
    const [first = 0, second = 0, third = 0] = failures()
    expect(Math.min(second - first, third - second)).toBeGreaterThanOrEqual(1_000)
    if (!onSqlite) return
    expect((await petstore(['backup', join(home.path, 'comes-later.db')], { env })).code).toBe(0)
    await running.ready
  })
})
