import { afterAll, expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { call, startNodes } from '../../server/test/harness/nodes.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { writePets } from './harness/pets-file.ts'
import { petstore } from './harness/petstore.ts'

// An import that failed: whether there is something to continue, and with which key.

const home = newDirectory()
const shop = await startNodes(1)
afterAll(async () => {
  await shop.stop()
  home.remove()
})
const url = shop.nodes[0]?.url ?? ''
const admin = async (method: string, path: string, body?: object) =>
  (await call(url, shop.adminSecret, method, path, body)).body

const newKey = (scopes: readonly string[]) => admin('POST', '/keys', { name: 'Import', plan: 'pro', scopes })
const run = (secret: string, ...words: string[]) =>
  petstore(['import', ...words], { env: { PETSTORE_URL: url, PETSTORE_API_KEY: secret } })
const total = async () => (await admin('GET', '/pets/counts')).total
const catalogue = ['pets:read', 'pets:write']

/** Passes on what is sent to it. Batches of pets go through the given function. */
const startProxy = (sendBatch: (send: () => Promise<Response>) => Promise<Response>) =>
  Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const { method, headers } = request
      const body = await request.bytes()
      const send = () => fetch(url + pathname + search, { method, headers, body, decompress: false })
      return pathname.endsWith('/pets/batch') ? sendBatch(send) : send()
    },
  })

async function newFile(name: string): Promise<string> {
  const file = join(home.path, name)
  await writePets(file, 3)
  return file
}

test('an import that has registered pets continues with its key only: another one would register them twice', async () => {
  const file = await newFile('stock.ndjson')
  const key = await newKey(catalogue)
  const before = await total()
  const failed = await run(key.secret, file)
  expect([failed.code, await total()]).toEqual([3, before + 3])
  expect(failed.errors).toContain('add the scope to this key; another key would import them twice')
  expect(failed.errors).toEndWith('Run the same command again to continue.\n')

  const other = await run(shop.adminSecret, file)
  expect([other.code, await total()]).toEqual([1, before + 3])
  expect(other.errors).toContain(`was started with key ${key.id}`)

  // A failed resume keeps the old time: the interrupted batch may have been registered that long ago.
  const progress = JSON.parse(readFileSync(`${file}.progress`, 'utf8'))
  const savedAt = progress.savedAt - 3_600_000
  writeFileSync(`${file}.progress`, JSON.stringify({ ...progress, savedAt }))
  expect((await run(key.secret, file)).code).toBe(3)
  expect(JSON.parse(readFileSync(`${file}.progress`, 'utf8')).savedAt).toBe(savedAt)

  await admin('PATCH', `/keys/${key.id}`, { scopes: [...catalogue, 'inventory:write'] })
  const done = await run(key.secret, file)
  expect([done.code, done.output, await total()]).toEqual([0, expect.stringContaining('Imported 3 pets'), before + 3])
})

test('an import whose key loses its scope after the first batch continues where it was', async () => {
  const file = join(home.path, 'two-batches.ndjson')
  await writePets(file, 60)
  const { id, secret } = await newKey([...catalogue, 'inventory:write'])
  const before = await total()
  const setScopes = (scopes: string[]) => admin('PATCH', `/keys/${id}`, { scopes })
  let batches = 0
  using proxy = startProxy(async (send) => {
    if (++batches === 2) await setScopes(['pets:read'])
    return send()
  })
  const env = { PETSTORE_URL: proxy.url.origin, PETSTORE_API_KEY: secret }
  const failed = await petstore(['import', file], { env })
  expect([failed.code, await total()]).toEqual([3, before + 50])
  expect(failed.errors).toEndWith('Run the same command again to continue.\n')
  await setScopes([...catalogue, 'inventory:write'])
  const done = await petstore(['import', file], { env })
  expect([done.code, done.output, await total()]).toEqual([0, expect.stringContaining('Imported 60 pets'), before + 60])
})

test('an import goes on with batches as before, although the limits of its key have changed', async () => {
  const file = join(home.path, 'plans.ndjson')
  await writePets(file, 20)
  const { id, secret } = await admin('POST', '/keys', { name: 'Import', plan: 'free', scopes: catalogue })
  const before = await total()
  // Ten pets at a time, whose stock it may not set.
  expect([(await run(secret, file)).code, await total()]).toEqual([3, before + 10])
  await admin('PATCH', `/keys/${id}`, { plan: 'pro', scopes: [...catalogue, 'inventory:write'] })
  const done = await run(secret, file)
  expect([done.code, done.output, await total()]).toEqual([0, expect.stringContaining('Imported 20 pets'), before + 20])
})

test('an import whose first batch ends with an error of the service continues: its pets may be there', async () => {
  const file = join(home.path, 'broken.ndjson')
  // Not a file that the same key has imported in another test.
  await writePets(file, 4)
  const before = await total()
  let isBroken = true
  using proxy = startProxy(async (send) => {
    const response = await send()
    return isBroken ? new Response('Broken', { status: 500 }) : response
  })
  const env = { PETSTORE_URL: proxy.url.origin, PETSTORE_API_KEY: shop.adminSecret }
  const failed = await petstore(['import', file], { env })
  expect(failed.errors).toEndWith('Run the same command again to continue.\n')
  expect([existsSync(`${file}.progress`), await total()]).toEqual([true, before + 4])
  isBroken = false
  const done = await petstore(['import', file], { env })
  expect([done.code, done.output, await total()]).toEqual([0, expect.stringContaining('Imported 4 pets'), before + 4])
})

test('an import that was started with --again is continued without it', async () => {
  const file = await newFile('again.ndjson')
  const { secret } = await newKey(catalogue)
  const failed = await run(secret, file, '--again')
  expect(failed.errors).toEndWith('Run the command without --again to continue.\n')
})

test('an import that has registered nothing leaves nothing to continue: another key may start it', async () => {
  const file = await newFile('reader.ndjson')
  const report = join(home.path, 'reader.report')
  const { secret } = await newKey(['pets:read'])
  const before = await total()
  for (const wrong of [secret, 'ps_wrong']) {
    const failed = await run(wrong, file, '--report', report)
    expect([failed.code, failed.errors.includes('to continue')]).toEqual([3, false])
    expect([existsSync(`${file}.progress`), existsSync(`${report}.part`)]).toEqual([false, false])
  }
  expect([(await run(shop.adminSecret, file)).code, await total()]).toEqual([0, before + 3])
})

test('a file that cannot be read as a whole can be corrected and imported', async () => {
  const file = join(home.path, 'columns.csv')
  writeFileSync(file, 'name,kind of pet\nRex,Dogs\n')
  const failed = await run(shop.adminSecret, file)
  expect([failed.code, failed.errors.includes('to continue')]).toEqual([1, false])
  writeFileSync(file, 'name,category\nRex,Dogs\n')
  expect(await run(shop.adminSecret, file)).toMatchObject({ code: 0, errors: '' })
})

test('with --json a failed import says what the service said, and how to go on', async () => {
  const file = await newFile('json.ndjson')
  const { secret } = await newKey(catalogue)
  const said = { status: 403, code: 'insufficient_scope', exitCode: 3, requestId: expect.any(String) }
  const failed = JSON.parse((await run(secret, file, '--json')).errors)
  expect(failed).toMatchObject({ ...said, advice: expect.stringContaining('Run the same command again') })
  const wrong = JSON.parse((await run('ps_wrong', file, '--json')).errors)
  expect(wrong).toMatchObject({ status: 401, code: 'invalid_api_key', docs: expect.any(String) })
})

/** Runs an export that was interrupted now, or as `other` says. */
async function continueExport(
  file: string,
  other: { savedAt?: number; format?: string; url?: string; bytes?: number } = {},
) {
  writeFileSync(`${file}.part`, 'before\n')
  const progress = { url, format: 'ndjson', cursor: 'not a cursor', bytes: 7, pets: 1, savedAt: Date.now(), ...other }
  writeFileSync(`${file}.progress`, JSON.stringify(progress))
  const env = { PETSTORE_URL: url, PETSTORE_API_KEY: shop.adminSecret }
  return petstore(['export', file, '--json'], { env })
}

test('with --json a failed export says what the service said, and how to go on', async () => {
  const { code, errors } = await continueExport(join(home.path, 'export.ndjson'))
  const [, failed = ''] = errors.split('Continuing after 1 pets.\n')
  expect([code, JSON.parse(failed)]).toMatchObject([5, { status: 400, advice: expect.stringContaining('again') }])
})

test.each([
  ['and lost its last pages', { bytes: 700 }],
  ['days ago', { savedAt: Date.now() - 25 * 3_600_000 }],
  ['in another format', { format: 'csv' }],
  ['at another shop', { url: 'https://another.example' }],
])('an export that was interrupted %s starts from the beginning', async (when, other) => {
  const file = join(home.path, `${when}.ndjson`)
  expect(await continueExport(file, other)).toMatchObject({ code: 0, errors: '' })
  expect(readFileSync(file, 'utf8')).not.toContain('before')
})
