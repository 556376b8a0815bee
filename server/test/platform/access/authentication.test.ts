import { afterAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { startService } from '../../harness/service.ts'

const service = await startService({ env: { LOG_LEVEL: 'debug' } })
afterAll(() => service.stop())

const call = (headers: Record<string, string>) => service.as(undefined).get('/pets', headers)

test('a key is accepted in X-API-Key and in Authorization: Bearer, in upper and lower case', async () => {
  const { secret = '' } = await service.newClient()
  expect((await call({ 'X-API-Key': secret })).status).toBe(200)
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect((await call({ Authorization: `${scheme} ${secret}` })).status).toBe(200)
  }
  expect((await call({ 'X-API-Key': secret, Authorization: `Bearer ${secret}` })).status).toBe(200)
})

test('two different keys are an error, even if one of them is valid', async () => {
  const [one, two] = [await service.newClient(), await service.newClient()]
  for (const [plain, bearer] of [
    [one.secret, two.secret],
    [one.secret, 'wrong'],
    ['wrong', one.secret],
  ]) {
    const { status, body } = await call({ 'X-API-Key': plain ?? '', Authorization: `Bearer ${bearer}` })
    expect([status, body.code, body.errors[0].in]).toEqual([400, 'validation_failed', 'header'])
  }
})

test('an empty X-API-Key is no key', async () => {
  const { secret } = await service.newClient()
  expect((await call({ 'X-API-Key': '' })).body.code).toBe('missing_api_key')
  expect((await call({ 'X-API-Key': '', Authorization: `Bearer ${secret}` })).status).toBe(200)
})

test('another scheme is ignored; a wrong key is rejected without saying why', async () => {
  const { secret = '' } = await service.newClient()
  expect((await call({ Authorization: 'Basic YTpi' })).body.code).toBe('missing_api_key')
  expect((await call({ Authorization: 'Basic YTpi', 'X-API-Key': secret })).status).toBe(200)
  const messages = new Set()
  for (const wrong of [newSecret(), secret.slice(0, -1), `${secret}0`, secret.toLowerCase(), 'ps_', "' OR 1=1 --"]) {
    const { status, body, headers } = await call({ 'X-API-Key': wrong })
    expect([status, body.code]).toEqual([401, 'invalid_api_key'])
    expect(headers.get('www-authenticate')).toContain('Bearer')
    messages.add(body.message)
  }
  expect(messages.size).toBe(1)
  expect((await call({})).headers.get('www-authenticate')).toContain('Bearer')
})

test('a key in the URL is ignored', async () => {
  const { secret } = await service.newClient()
  const { status, text } = await service.as(undefined).get(`/pets?api_key=${secret}`)
  expect(status).toBe(401)
  expect(text).not.toContain(secret ?? '')
})

test('logs, errors, metrics and the database contain no secret', async () => {
  const secrets = [service.adminSecret]
  const texts: string[] = []
  const client = await service.newClient({ plan: 'free' })
  const rotated = await service.admin.post(`/keys/${client.keyId}/rotate`, {}, { 'Idempotency-Key': 'leak' })
  const created = await service.admin.post(
    '/keys',
    { name: 'Leak', plan: 'free', preset: 'client' },
    { 'Idempotency-Key': 'leak too' },
  )
  const unknown = newSecret()
  secrets.push(client.secret ?? '', rotated.body.secret, created.body.secret, unknown)
  for (const secret of secrets) {
    for (const [method, path] of [
      ['GET', '/pets?limit=x'],
      ['GET', `/pets?secret=${secret}`],
      ['GET', `/keys/${secret}`],
      ['GET', `/no/${secret}`],
      ['DELETE', '/pets'],
    ] as const) {
      texts.push((await service.as(secret).send(method, path)).text)
      texts.push(
        (await service.as(undefined).send(method, path, undefined, { Authorization: `Bearer ${secret}` })).text,
      )
    }
    texts.push((await call({ 'X-API-Key': secret, Authorization: 'Bearer other' })).text)
  }
  // An internal failure, which is logged with its reason.
  const { db, directory, usage, limiter, log, metrics } = service.context
  await db.transaction((tx) => tx.query('ALTER TABLE api_key_secrets RENAME TO api_key_secrets_away'))
  directory.forgetAll()
  for (const secret of secrets) texts.push((await service.as(secret).get('/pets')).text)
  await db.transaction((tx) => tx.query('ALTER TABLE api_key_secrets_away RENAME TO api_key_secrets'))

  await usage.flush()
  await limiter.flush()
  log.flush()
  const logs = service.logged.join('')
  expect(logs).toContain('"request failed"')
  const tables = ['api_keys', 'api_key_secrets', 'idempotent_responses', 'bans', 'rate_counters', 'settings']
  const rows = await Promise.all(tables.map((table) => db.query(`SELECT * FROM ${table}`)))
  for (const secret of secrets) {
    const random = secret.slice(8)
    for (const text of [logs, await metrics.render(), JSON.stringify(rows), ...texts])
      expect(text).not.toContain(random)
  }
})

test.if(process.env.TEST_ENGINE !== 'postgres')('the database files contain no secret', async () => {
  const client = await service.newClient()
  const headers = { 'Idempotency-Key': 'bytes' }
  const { secret } = (await service.admin.post(`/keys/${client.keyId}/rotate`, {}, headers)).body
  const directory = dirname(service.context.config.databaseUrl.replace(/^sqlite:/, ''))
  const files = readdirSync(directory)
  expect(files).toContain('petstore.db-wal')
  const bytes = Buffer.concat(files.map((file) => readFileSync(join(directory, file))))
  expect(bytes.includes(String(secret).slice(0, 8))).toBe(true)
  for (const each of [secret, client.secret, service.adminSecret]) {
    expect(bytes.includes(String(each).slice(8))).toBe(false)
    expect(bytes.includes(String(each).slice(3, 33))).toBe(false)
  }
})
