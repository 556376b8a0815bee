import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { petShop } from '../../../src/shop/index.ts'
import { createTestDatabase, type TestDatabase } from '../../harness/database.ts'
import { call, type Nodes, startNodes } from '../../harness/nodes.ts'
import { patiently } from '../../harness/patiently.ts'
import { programFile } from '../../harness/run/test-programs.ts'

const onPostgres = process.env.TEST_ENGINE === 'postgres'
const root = new URL('../../../..', import.meta.url).pathname
/** More than one batch. */
const petCount = 620

describe.if(onPostgres)('petstore copy', () => {
  let directory: string
  let postgres: TestDatabase
  let filled: Filled
  const sqlite = (name: string) => `sqlite:${join(directory, name)}`
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'petstore-copy-'))
    postgres = await createTestDatabase()
    filled = await withNode(sqlite('first.db'), (url, secret) => fill(url, secret))
  })
  afterAll(async () => {
    await postgres.remove()
    rmSync(directory, { recursive: true, force: true })
  })

  test('from SQLite to PostgreSQL and back, everything stays as it was', async () => {
    expect(await copy(sqlite('first.db'), postgres.url)).toMatchObject({ exitCode: 0, stderr: '' })
    await withNode(postgres.url, (url) => expectUnchanged(url, filled))
    expect(await copy(postgres.url, sqlite('second.db'))).toMatchObject({ exitCode: 0, stderr: '' })
    await withNode(sqlite('second.db'), (url) => expectUnchanged(url, filled))
  })

  test('a target that is not empty and a source that is not a pet store are rejected', async () => {
    const again = await copy(sqlite('first.db'), sqlite('first-copy.db'))
    expect(again.exitCode).toBe(0)
    const full = await copy(sqlite('first.db'), sqlite('first-copy.db'))
    expect(full).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is not empty') })
    expect(await copy(sqlite('none.db'), sqlite('new.db'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('There is no file'),
    })
    await openSqlite(join(directory, 'blank.db')).close()
    expect(await copy(sqlite('blank.db'), sqlite('new.db'))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('is not a database of this service'),
    })
    expect((await copy(sqlite('first.db'), 'mysql://somewhere')).exitCode).toBe(2)
  })

  test('a copy that fails half-way leaves the target empty', async () => {
    const target = await createTestDatabase()
    await copy(sqlite('first.db'), sqlite('faulty.db'))
    const connection = new Connection(join(directory, 'faulty.db'))
    // Foreign keys are off by default in another program, which is how a bad row could get in.
    connection.run('INSERT INTO api_key_secrets (hash, key_id) VALUES (?, 999999)', ['unknown'])
    connection.close()
    expect((await copy(sqlite('faulty.db'), target.url)).exitCode).toBe(1)
    expect(await copy(sqlite('first.db'), target.url)).toMatchObject({ exitCode: 0, stderr: '' })
    await target.remove()
  })

  test('a source or a target of another schema version is rejected', async () => {
    const db = openSqlite(join(directory, 'newer.db'))
    await migrate(db, 0, petShop.migrations)
    await db.transaction((tx) =>
      tx.query(
        "INSERT INTO schema_versions (version, name, applied_at) SELECT max(version) + 1, 'later', 0 FROM schema_versions",
      ),
    )
    await db.close()
    for (const [from, to] of [
      ['newer.db', 'new.db'],
      ['first.db', 'newer.db'],
    ] as const) {
      const { exitCode, stderr } = await copy(sqlite(from), sqlite(to))
      expect(exitCode).toBe(1)
      expect(stderr).toContain('schema version')
    }
  })
})

async function copy(from: string, to: string) {
  const child = Bun.spawn([process.execPath, programFile('petstore'), 'copy', from, to], {
    cwd: root,
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { exitCode, stdout, stderr }
}

async function withNode<T>(databaseUrl: string, work: (url: string, adminSecret: string) => Promise<T>): Promise<T> {
  const running: Nodes = await startNodes(1, {}, databaseUrl)
  try {
    return await work(running.nodes[0]?.url ?? '', running.adminSecret)
  } finally {
    await Promise.all(running.nodes.map((node) => node.kill('SIGTERM')))
    await running.stop()
  }
}

type Filled = Awaited<ReturnType<typeof fill>>

/** Creates a shop with some of everything, through the API. */
async function fill(url: string, adminSecret: string) {
  // Many at once: a busy machine may reject some.
  const admin = (method: string, path: string, body?: unknown) =>
    patiently(() => call(url, adminSecret, method, path, body))
  const newKey = async (fields: object) =>
    (await admin('POST', '/keys', { name: 'Test', plan: 'business', preset: 'client', ...fields })).body
  const [alice, bob] = [await newKey({ name: 'Alice' }), await newKey({ name: 'Bob' })]
  const rotated = (await admin('POST', `/keys/${bob.id}/rotate`, { graceSeconds: 3_600 })).body
  const greedy = await newKey({ name: 'Greedy', plan: 'free' })
  while ((await call(url, greedy.secret, 'GET', '/pets?limit=1')).body.code !== 'key_banned');

  const categoryId = (await admin('POST', '/categories', { name: 'Übergröße', description: "it's" })).body.id
  const pets: { id: number }[] = await Promise.all(
    Array.from({ length: petCount }, async (_, index) => {
      return (await admin('POST', '/pets', { name: `Pet ${index} ✓`, categoryId })).body
    }),
  )
  const [petId = 0, otherId = 0] = pets.map((pet) => pet.id).sort((a, b) => a - b)
  await admin('PUT', `/store/inventory/${petId}`, { quantity: 50 })
  await admin('PATCH', '/store/settings', { lowStockMax: 49 })
  const highestId = Math.max(...pets.map((pet) => pet.id))
  await admin('DELETE', `/pets/${highestId}`)
  const order = (await call(url, alice.secret, 'POST', '/store/orders', { petId, quantity: 3 })).body
  await call(url, bob.secret, 'POST', '/store/orders', { petId: otherId, complete: true })
  const repeated = { petId, quantity: 2 }
  const first = await call(url, alice.secret, 'POST', '/store/orders', repeated, { 'Idempotency-Key': 'once' })
  return {
    adminSecret,
    alice,
    bob: { secrets: [bob.secret, rotated.secret] },
    greedy,
    highestId,
    categoryId,
    order,
    repeated,
    first: first.body,
    lowStock: { lowStockMax: 49, lowStock: petCount - 1 },
    state: await readState(url, adminSecret),
  }
}

async function expectUnchanged(url: string, filled: Filled): Promise<void> {
  const { adminSecret, alice, bob, greedy, categoryId } = filled
  expect((await call(url, adminSecret, 'GET', '/store/summary')).body).toMatchObject(filled.lowStock)
  expect(await readState(url, adminSecret)).toEqual(filled.state)
  for (const secret of [alice.secret, ...bob.secrets]) {
    expect((await call(url, secret, 'GET', '/pets?limit=1')).status).toBe(200)
  }
  expect((await call(url, greedy.secret, 'GET', '/pets?limit=1')).body.code).toBe('key_banned')
  expect((await call(url, greedy.secret, 'GET', '/limits')).body.windows[1].remaining).toBeLessThanOrEqual(940)

  const found = await call(url, alice.secret, 'GET', `/pets?q=${encodeURIComponent('pet 61 ✓')}`)
  expect(found.body).toHaveLength(1)
  expect((await call(url, alice.secret, 'GET', `/categories?q=${encodeURIComponent('GRÖSSE')}`)).body).toEqual(
    (await call(url, alice.secret, 'GET', `/categories?q=${encodeURIComponent('größe')}`)).body,
  )
  const path = `/store/orders/${filled.order.id}`
  expect((await call(url, alice.secret, 'GET', path)).body).toEqual(filled.order)
  expect((await call(url, bob.secrets[0], 'GET', path)).status).toBe(404)

  const replay = await call(url, alice.secret, 'POST', '/store/orders', filled.repeated, { 'Idempotency-Key': 'once' })
  expect(replay.body).toEqual(filled.first)
  expect(replay.headers.get('idempotent-replayed')).toBe('true')

  // Later than every copied line. Changed back, so that the next copy finds the same.
  for (const quantity of [4, 3]) await call(url, alice.secret, 'PATCH', path, { quantity })
  const [line] = (await call(url, alice.secret, 'GET', `${path}/history`)).body
  expect(line.changes.quantity).toEqual({ from: 4, to: 3 })
  const movements = `/store/inventory/${filled.order.petId}/movements`
  const [movement] = (await call(url, adminSecret, 'GET', movements)).body
  expect(movement).toMatchObject({ cause: 'order_changed', delta: 1 })

  // Higher than every earlier id, including that of the deleted pet. Deleted again, so that the next copy finds the same.
  const pet = (await call(url, adminSecret, 'POST', '/pets', { name: 'New', categoryId })).body
  expect(pet.id).toBeGreaterThan(filled.highestId)
  filled.highestId = pet.id
  await call(url, adminSecret, 'DELETE', `/pets/${pet.id}`)
}

/** Reads everything visible of a shop, without the time when keys were last used, which every read changes. */
async function readState(url: string, secret: string): Promise<Record<string, unknown[]>> {
  const lists: Record<string, unknown[]> = {}
  for (const path of ['/pets', '/categories', '/store/orders', '/store/inventory', '/keys']) {
    lists[path] = []
    for (let next: string | undefined = `${path}?limit=100`; next; ) {
      const page = await call(url, secret, 'GET', next)
      lists[path].push(...page.body.map((row: object) => ({ ...row, lastUsedAt: undefined })))
      next = /<https?:\/\/[^/]+(\S+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    }
  }
  return lists
}
