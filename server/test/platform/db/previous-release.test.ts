import { afterAll, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { openForCommand } from '../../../src/platform/db/open.ts'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { createTestDatabase } from '../../harness/database.ts'
import { callUnchecked as call } from '../../harness/nodes.ts'
import { ownProcesses } from '../../harness/own-processes.ts'
import { freePort } from '../../harness/run/free-port.ts'
import { root, runProgram } from '../../harness/run/run-service.ts'
import { programFile } from '../../harness/run/test-programs.ts'

// The commit of the last release. Update it after each release.
const previousRelease = '0eb77c43a9fcb680d3051f09312f222cf2487fc3'

const isInClone =
  Bun.which('git') !== null &&
  Bun.spawnSync(['git', 'cat-file', '-e', `${previousRelease}^{commit}`], { cwd: root }).success
if (!isInClone)
  process.stdout.write(`Skipped: commit ${previousRelease} is not in this clone; fetch the whole history.\n`)

describe.if(isInClone)('a node of the previous release', () => {
  const { newHome, own, run } = ownProcesses()
  const adminSecret = newSecret()
  const databases: { remove(): Promise<void> }[] = []
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.remove()))
  })

  /** Uses the shop, and returns every unexpected answer. */
  async function useShop(url: string): Promise<string[]> {
    const faults: string[] = []
    const send = async (secret: string, method: string, path: string, expected: number, body?: unknown) => {
      const answer = await call(url, secret, method, path, body)
      if (answer.status !== expected) faults.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
      return answer.body
    }
    const admin = send.bind(undefined, adminSecret)
    const key = await admin('POST', '/keys', 201, { name: 'Client', plan: 'free', preset: 'client' })
    const client = send.bind(undefined, key.secret)
    await admin('PATCH', `/keys/${key.id}`, 200, { name: 'Customer' })
    await admin('GET', '/keys', 200)
    const category = await admin('POST', '/categories', 201, { name: 'Fish' })
    const pet = await admin('POST', '/pets', 201, { name: 'Guppy', categoryId: category.id })
    await admin('PATCH', `/pets/${pet.id}`, 200, { name: 'Neon' })
    await admin('PUT', `/store/inventory/${pet.id}`, 200, { quantity: 5 })
    await admin('POST', `/store/inventory/${pet.id}/adjustments`, 200, { delta: 2 })
    const order = await client('POST', '/store/orders', 201, { petId: pet.id, quantity: 2 })
    await client('PATCH', `/store/orders/${order.id}`, 200, { quantity: 3 })
    await client('DELETE', `/store/orders/${order.id}`, 204)
    await client('POST', '/store/orders', 201, { petId: pet.id, quantity: 7, complete: true })
    await client('GET', '/store/orders', 200)
    await client('GET', `/pets?q=neo&categoryId=${category.id}&sort=name`, 200)
    const profile = await client('GET', `/pets/${pet.id}/profile`, 200)
    if (profile.status !== 'sold') faults.push(`the pet is ${profile.status}`)
    await client('GET', `/store/inventory?maxQuantity=0`, 200)
    await client('GET', '/limits', 200)
    await admin('GET', '/usage', 200)
    await admin('POST', `/keys/${key.id}/rotate`, 200, {})
    await admin('DELETE', `/keys/${key.id}`, 204)
    return faults
  }

  /** Tries each kind of write and a few reads on a node, and returns every unexpected answer. */
  async function tryWrites(url: string, kept: Awaited<ReturnType<typeof stockUp>>): Promise<string[]> {
    const faults: string[] = []
    const writes: [string, string, string, unknown?][] = [
      [adminSecret, 'POST', '/keys', { name: 'Another', plan: 'free', preset: 'client' }],
      [adminSecret, 'PATCH', `/keys/${kept.keyId}`, { name: 'Renamed' }],
      [adminSecret, 'POST', `/keys/${kept.keyId}/rotate`, {}],
      [adminSecret, 'DELETE', `/keys/${kept.keyId}`],
      [adminSecret, 'POST', '/categories', { name: 'Birds' }],
      [adminSecret, 'PATCH', `/categories/${kept.categoryId}`, { name: 'Birds' }],
      [adminSecret, 'POST', '/pets', { name: 'Parrot', categoryId: kept.categoryId }],
      [adminSecret, 'PATCH', `/pets/${kept.petId}`, { name: 'Parrot' }],
      [adminSecret, 'PUT', `/store/inventory/${kept.petId}`, { quantity: 50 }],
      [adminSecret, 'POST', `/store/inventory/${kept.petId}/adjustments`, { delta: 2 }],
      [adminSecret, 'DELETE', `/store/inventory/${kept.petId}`],
      [kept.secret, 'POST', '/store/orders', { petId: kept.petId, quantity: 2 }],
      [kept.secret, 'PATCH', `/store/orders/${kept.orderId}`, { quantity: 3 }],
      [kept.secret, 'PATCH', `/store/orders/${kept.orderId}`, { complete: true }],
      [kept.secret, 'DELETE', `/store/orders/${kept.orderId}`],
    ]
    for (const [secret, method, path, body] of writes) {
      const { status, headers } = await call(url, secret, method, path, body)
      if (status !== 503 || !headers.has('retry-after')) faults.push(`${method} ${path}: ${status}`)
    }
    for (const path of ['/pets', `/pets/${kept.petId}/profile`, `/store/orders/${kept.orderId}`, '/limits', '/usage']) {
      const { status } = await call(url, kept.secret, 'GET', path)
      if (status !== 200) faults.push(`GET ${path}: ${status}`)
    }
    return faults
  }

  /** A key, a category, a pet with stock and an open order. */
  async function stockUp(url: string) {
    const create = async (secret: string, method: string, path: string, body: unknown) =>
      (await call(url, secret, method, path, body)).body
    const key = await create(adminSecret, 'POST', '/keys', { name: 'Client', plan: 'pro', preset: 'client' })
    const category = await create(adminSecret, 'POST', '/categories', { name: 'Cats' })
    const pet = await create(adminSecret, 'POST', '/pets', { name: 'Tom', categoryId: category.id })
    await create(adminSecret, 'PUT', `/store/inventory/${pet.id}`, { quantity: 9 })
    const order = await create(key.secret, 'POST', '/store/orders', { petId: pet.id, quantity: 2 })
    return { secret: key.secret, keyId: key.id, categoryId: category.id, petId: pet.id, orderId: order.id }
  }

  interface Counted {
    readonly name: string
    readonly count: number
  }

  /** Finds inconsistencies between ledger, history, events and counts. All events are from after the migration. */
  async function findFaults(databaseUrl: string, linesBefore: number): Promise<unknown[]> {
    const db = await openForCommand({ url: databaseUrl, name: 'petstore-test' })
    try {
      const off = await db.query(
        `SELECT pets.id FROM pets WHERE coalesce((SELECT quantity FROM inventory WHERE pet_id = pets.id), 0)
           <> coalesce((SELECT sum(delta) FROM stock_movements WHERE pet_id = pets.id), 0)`,
      )
      const without = await db.query(
        `SELECT id FROM orders WHERE NOT EXISTS
           (SELECT 1 FROM order_history WHERE order_id = orders.id AND kind = 'placed')`,
      )
      // For orders from before the history it is not known when they were completed.
      const unfinished = await db.query(
        `SELECT id FROM orders WHERE complete = 1 AND EXISTS
             (SELECT 1 FROM order_history WHERE order_id = orders.id AND changes LIKE '%"complete":{"to":false}%')
           AND NOT EXISTS (SELECT 1 FROM order_history WHERE order_id = orders.id AND kind = 'completed')`,
      )
      const lines = await db.query<Counted>(
        'SELECT kind AS name, count(*) AS count FROM order_history WHERE id > $1 GROUP BY kind ORDER BY kind',
        [linesBefore],
      )
      const events = await db.query<Counted>(
        "SELECT type AS name, count(*) AS count FROM events WHERE type LIKE 'order.%' GROUP BY type ORDER BY type",
      )
      const kinds: Record<string, string> = { changed: 'order.updated' }
      const expected = lines.map(({ name, count }) => ({ name: kinds[name] ?? `order.${name}`, count }))
      const byName = (one: Counted, other: Counted) => one.name.localeCompare(other.name)
      const counts = await db.query(
        `SELECT status, sum(pets) FROM (SELECT status, -count(*) AS pets FROM pets GROUP BY status
           UNION ALL SELECT status, pets FROM pet_counts WHERE category_id = 0
           UNION ALL SELECT status, pets FROM pet_count_changes) AS counted GROUP BY status HAVING sum(pets) <> 0`,
      )
      const eventsOff = Bun.deepEquals(expected.toSorted(byName), events.toSorted(byName)) ? [] : [expected, events]
      return [...off, ...without, ...unfinished, ...counts, ...eventsOff]
    } finally {
      await db.close()
    }
  }

  async function lastHistoryId(databaseUrl: string): Promise<number> {
    const db = await openForCommand({ url: databaseUrl, name: 'petstore-test' })
    const [row] = await db.query<{ last: number | null }>('SELECT max(id) AS last FROM order_history')
    await db.close()
    return row?.last ?? 0
  }

  test('leaves ledger, history, events and counts consistent during a migration', async () => {
    const home = newHome()
    const archive = Bun.spawnSync(['git', 'archive', previousRelease, 'package.json', 'server/src'], { cwd: root })
    expect(Bun.spawnSync(['tar', '-x'], { cwd: home, stdin: archive.stdout }).exitCode).toBe(0)
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
    const database = await createTestDatabase()
    databases.push(database)
    const env = { DATABASE_URL: database.url, ADMIN_API_KEY: adminSecret, SAMPLE_DATA: 'false' }
    const startOld = async () => {
      // It does not report a port that the system chooses.
      const port = await freePort()
      const program = own(
        runProgram({
          command: [process.execPath, join(home, 'server/src/main.ts')],
          cwd: home,
          env: { ...env, PORT: String(port), LOG_LEVEL: 'warn' },
          readyWhen: /is ready/,
        }),
      )
      return { program, url: `http://127.0.0.1:${port}` }
    }
    const old = await startOld()
    await old.program.ready
    // Used before too, so that its statements are prepared when the tables change.
    expect(await useShop(old.url)).toEqual([])
    const stopOld = async () => {
      old.program.kill('SIGTERM')
      expect(await old.program.exited).toBe(0)
    }

    const migrate = (...options: string[]) => {
      const { exitCode, stderr } = Bun.spawnSync([process.execPath, programFile('petstore'), 'migrate', ...options], {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', DATABASE_URL: database.url },
      })
      return { exitCode, stderr: stderr.toString() }
    }
    // On SQLite only one process uses the file: the schema is not changed while an old one does.
    const shared = database.url.startsWith('postgres')
    if (!shared) {
      const refused = migrate()
      expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining('is open in another process')])
      const beside = run(home, env)
      expect(await beside.exited).not.toBe(0)
      expect(beside.errors()).toContain('is open in another process')
      expect(await useShop(old.url)).toEqual([])
      await stopOld()
    }
    expect([migrate().exitCode, migrate('--check').exitCode]).toEqual([0, 0])
    const linesBefore = await lastHistoryId(database.url)
    const current = run(home, env)
    await current.ready
    expect(await useShop(current.url)).toEqual([])
    const kept = await stockUp(current.url)
    // On PostgreSQL both serve for a while. The old one can read, and refuses writes that it cannot do completely.
    if (shared) {
      expect(await tryWrites(old.url, kept)).toEqual([])
      expect(await useShop(current.url)).toEqual([])
      await stopOld()
    }
    const tooOld = (await startOld()).program
    expect(await tooOld.exited).not.toBe(0)
    current.kill('SIGTERM')
    expect(await current.exited).toBe(0)
    expect(await findFaults(database.url, linesBefore)).toEqual([])
  })
})
