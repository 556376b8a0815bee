import { afterAll, expect, test } from 'bun:test'
import { migrate } from '../../../src/platform/db/migrate.ts'
import { openPostgres } from '../../../src/platform/db/postgres.ts'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { petShop } from '../../../src/shop/index.ts'
import { createTestDatabase } from '../../harness/database.ts'
import { programFile } from '../../harness/run/test-programs.ts'
import { startService } from '../../harness/service.ts'

// petstore keys create --admin: for the database's owner who has lost every key.

const service = await startService()
afterAll(() => service.stop())

async function runKey(databaseUrl: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, programFile('petstore'), 'keys', 'create', '--admin', ...args], {
    cwd: new URL('../../../..', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', DATABASE_URL: databaseUrl },
  })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output, errors, secret: /^ {2}(ps_\w{36})$/m.exec(output)?.[1] }
}

const ownUrl = () => service.context.config.databaseUrl

const open = async (url: string) =>
  url.startsWith('postgres')
    ? openPostgres({ url, connectionsMax: 1, applicationName: 'petstore-test' })
    : openSqlite(url.replace('sqlite:', ''))

test('it creates an admin key that the running service accepts immediately', async () => {
  const { code, secret, output } = await runKey(ownUrl())
  expect(code).toBe(0)
  const client = service.as(secret)
  const made = await client.post('/keys', { name: 'By the new one', plan: 'free', preset: 'reader' })
  expect(made.status).toBe(201)
  const { body: keys } = await client.get('/keys?limit=100')
  const key = keys.find(({ prefix }: { prefix: string }) => prefix === secret?.slice(0, 8))
  expect(key).toMatchObject({ name: 'Administrator', plan: 'enterprise' })
  expect(key.limits).toEqual({ perMinute: 10_000, perDay: 10_000_000 })
  expect(key.scopes).toContain('keys:manage')
  expect(output.split(String(secret))).toHaveLength(2)
})

test('it creates the requested key', async () => {
  const reader = await runKey(ownUrl(), '--name', 'Shop window', '--plan', 'pro', '--preset', 'reader')
  const limits = (await service.as(reader.secret).get('/limits')).body
  expect([limits.plan, limits.windows[0].limit]).toEqual(['pro', 300])
  expect((await service.as(reader.secret).get('/keys')).body.code).toBe('insufficient_scope')
  const writer = await runKey(ownUrl(), '--scopes', 'pets:read,pets:write', '--plan', 'free')
  expect((await service.as(writer.secret).post('/categories', { name: 'Dogs' })).status).toBe(201)
  expect((await service.as(writer.secret).get('/store/orders')).status).toBe(403)
})

test('it creates one while the service does not run', async () => {
  const database = await createTestDatabase()
  const db = await open(database.url)
  await migrate(db, 0, petShop.migrations)
  await db.close()
  const { secret } = await runKey(database.url)
  const later = await startService({ env: { DATABASE_URL: database.url } })
  expect((await later.as(secret).get('/keys')).status).toBe(200)
  await later.stop()
  await database.remove()
})

test('an invalid key is rejected with every fault, and nothing is created', async () => {
  const count = async () => (await service.context.db.query('SELECT id FROM api_keys')).length
  const before = await count()
  const wrong = await runKey(ownUrl(), '--plan', 'gold', '--scopes', 'pets', '--name', ' ')
  expect([wrong.code, wrong.output]).toEqual([1, ''])
  for (const fault of ['plan: must be one of', 'scopes/0: must be one of', 'name: ']) {
    expect(wrong.errors).toContain(fault)
  }
  const both = await runKey(ownUrl(), '--preset', 'admin', '--scopes', 'pets:read')
  expect([both.code, both.errors]).toEqual([
    1,
    'The key cannot be created:\n  scopes: is required without preset, and not allowed with it\n',
  ])
  const unknown = await runKey(ownUrl(), '--role', 'admin')
  expect([unknown.code, unknown.errors.includes("unknown option '--role'")]).toEqual([2, true])
  expect(await count()).toBe(before)
})

test('it works on a compatible newer schema, and says what to do on an older one', async () => {
  const database = await createTestDatabase()
  const db = await open(database.url)
  await migrate(db, 0, petShop.migrations)
  const later = "SELECT max(version) + 1, 'later', 0 FROM schema_versions"
  await db.transaction((tx) => tx.query(`INSERT INTO schema_versions (version, name, applied_at) ${later}`))
  expect((await runKey(database.url)).code).toBe(0)
  const lastTwo = 'version >= (SELECT max(version) - 1 FROM schema_versions)'
  await db.transaction((tx) => tx.query(`DELETE FROM schema_versions WHERE ${lastTwo}`))
  const behind = await runKey(database.url)
  expect([behind.code, behind.errors]).toEqual([
    1,
    'The schema is older than this program. Update it: petstore migrate\n',
  ])
  await db.close()
  await database.remove()
})

test('an empty, missing or unreachable database is reported as such', async () => {
  const database = await createTestDatabase()
  const db = await open(database.url)
  await db.query('SELECT 1')
  await db.close()
  expect((await runKey(database.url)).errors).toContain('The database is empty.')
  await database.remove()
  const gone = await runKey(database.url)
  expect(gone.code).toBe(1)
  expect(gone.errors).toMatch(
    /^(There is no database|PostgreSQL rejected the connection \(database .* does not exist\))/,
  )
})
