import { afterAll, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../../scripts/free-port.ts'
import { root, runProgram } from '../../../scripts/run-service.ts'
import { newSecret } from '../../src/keys/secret.ts'
import { createTestDatabase } from '../harness/database.ts'
import { call } from '../harness/nodes.ts'
import { ownProcesses } from '../harness/own-processes.ts'

// The program as it was released last. It moves to each release's commit once that has been made.
const previousRelease = '0eb77c43a9fcb680d3051f09312f222cf2487fc3'

const isInClone =
  Bun.which('git') !== null &&
  Bun.spawnSync(['git', 'cat-file', '-e', `${previousRelease}^{commit}`], { cwd: root }).success
if (!isInClone)
  process.stdout.write(`Skipped: commit ${previousRelease} is not in this clone; fetch the whole history.\n`)

describe.if(isInClone)('a node of the release before', () => {
  const { newHome, own, run } = ownProcesses()
  const adminSecret = newSecret()
  const databases: { remove(): Promise<void> }[] = []
  afterAll(async () => {
    await Promise.all(databases.map((database) => database.remove()))
  })

  /** Goes through the shop; every answer that is not as it should be. */
  async function shop(url: string): Promise<string[]> {
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

  test('goes on working while the schema is brought up to date beneath it', async () => {
    const home = newHome()
    const archive = Bun.spawnSync(['git', 'archive', previousRelease, 'package.json', 'server/src'], { cwd: root })
    expect(Bun.spawnSync(['tar', '-x'], { cwd: home, stdin: archive.stdout }).exitCode).toBe(0)
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
    const database = await createTestDatabase()
    databases.push(database)
    const env = { DATABASE_URL: database.url, ADMIN_API_KEY: adminSecret, SAMPLE_DATA: 'false' }
    // It does not tell the port that the system would choose for it.
    const port = await freePort()
    const old = own(
      runProgram({
        command: [process.execPath, join(home, 'server/src/main.ts')],
        cwd: home,
        env: { ...env, PORT: String(port), LOG_LEVEL: 'warn' },
        readyWhen: /is ready/,
      }),
    )
    const oldUrl = `http://127.0.0.1:${port}`
    await old.ready
    // Before as well, so that the statements are prepared when the tables change.
    expect(await shop(oldUrl)).toEqual([])

    const migrate = (...words: string[]) =>
      Bun.spawnSync([process.execPath, 'cli/src/petstore.ts', 'migrate', ...words], {
        cwd: root,
        env: { PATH: process.env.PATH ?? '', DATABASE_URL: database.url },
      }).exitCode
    expect([migrate(), migrate('--check')]).toEqual([0, 0])
    expect(await shop(oldUrl)).toEqual([])

    // On SQLite one node has the file for itself; on PostgreSQL both serve for a while.
    const stopOld = async () => {
      old.kill('SIGTERM')
      expect(await old.exited).toBe(0)
    }
    const shared = database.url.startsWith('postgres')
    if (!shared) await stopOld()
    const current = run(home, env)
    await current.ready
    expect(await shop(current.url)).toEqual([])
    if (shared) {
      expect(await shop(oldUrl)).toEqual([])
      await stopOld()
    }
    current.kill('SIGTERM')
    expect(await current.exited).toBe(0)
  })
})
