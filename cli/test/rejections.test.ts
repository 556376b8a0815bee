import { afterAll, describe, expect, test } from 'bun:test'
import { petstore } from './harness/petstore.ts'
import { startSampleShop } from './harness/sample-shop.ts'

const shop = await startSampleShop()
const { env } = shop
afterAll(() => shop.stop())

describe('a command that fails', () => {
  const run = (...words: string[]) => petstore(words, { env })

  test('with --json an error is JSON on standard error', async () => {
    const { code, output, errors } = await run('pets', 'create', '--name', ' ', '--category-id', '1', '--json')
    expect([code, output]).toEqual([5, ''])
    expect(JSON.parse(errors)).toMatchObject({
      code: 'validation_failed',
      status: 400,
      exitCode: 5,
      requestId: expect.any(String),
      docs: expect.any(String),
      errors: [{ in: 'body', path: '/name' }],
    })
    const missing = JSON.parse((await run('pets', 'get', '999999', '--json')).errors)
    expect([missing.code, 'errors' in missing]).toEqual(['pet_not_found', false])
    const misused = { code: 'misused', exitCode: 2, message: 'Missing --name' }
    expect(JSON.parse((await run('categories', 'create', '--json')).errors)).toEqual(misused)
    expect(JSON.parse((await run('pets', 'lits', '--json')).errors)).toMatchObject({ code: 'misused', exitCode: 2 })
    const incomplete = { ...misused, message: 'A command is required. Run with --help for a list.' }
    for (const words of [['--json'], ['pets', '--json']]) {
      expect(JSON.parse((await run(...words)).errors)).toEqual(incomplete)
    }
    const keyless = await petstore(['pets', 'list', '--json'])
    expect(JSON.parse(keyless.errors)).toMatchObject({ code: 'notAllowed', exitCode: 3 })
  })

  test.each([
    ['pets list --status gone', 5],
    ['pets get 999999', 4],
    ['pets create --name Rex --category-id 1 --status gone', 5],
    ['pets create --name Rex', 2],
    ['pets create --name Rex --category-id 1 --category Dogs', 2],
    ['pets create --name Rex --category Nothing', 4],
    ['pets update 1 --category-id 999999', 5],
    ['pets delete 999999', 4],
    ['categories list --sort color', 5],
    ['categories get 999999', 4],
    ['categories create', 2],
    ['categories update 999999 --name X', 4],
    ['categories delete 1', 5],
    ['orders list --placed-from yesterday', 5],
    ['orders get 999999', 4],
    ['orders create --pet-id 999999', 5],
    ['orders create', 2],
    ['orders history 999999', 4],
    ['orders update 999999 --quantity 1', 4],
    ['orders delete 999999', 4],
    ['inventory list --max-quantity -1', 5],
    ['inventory get 999999', 4],
    ['inventory create 1 --quantity 1', 5],
    ['inventory update 1 --delta -1000000', 5],
    ['inventory update 1', 2],
    ['inventory update 1 --quantity 1 --delta 1', 2],
    ['inventory update 1 --quantity 1 --reason x', 2],
    ['inventory movements 999999', 4],
    ['inventory delete 999999', 4],
    ['events list --type nothing', 5],
    ['events tail --type nothing', 5],
    ['webhooks list --limit x', 2],
    ['webhooks get 999999', 4],
    ['webhooks create --to nowhere --events *', 5],
    ['webhooks create --events *', 2],
    ['webhooks listen', 2],
    ['webhooks listen --forward-to ftp://x', 2],
    ['webhooks update 999999 --active true', 4],
    ['webhooks rotate 999999', 4],
    ['webhooks delete 999999', 4],
    ['webhooks ping 999999', 4],
    ['webhooks deliveries 999999', 4],
    ['webhooks redeliver 999999 1', 4],
    ['webhooks replay 999999 --from 2026-01-01T00:00:00Z', 4],
    ['keys list --limit x', 2],
    ['keys create --name X --plan gold --preset reader', 5],
    ['keys create --name X --plan free', 2],
    ['keys get 999999', 4],
    ['keys update 999999 --name X', 4],
    ['usage --per year', 5],
    ['summary --hours 0', 5],
    ['help pets lits', 2],
    ['keys rotate 999999', 4],
    ['keys revoke 999999', 4],
    ['keys unban 999999', 4],
  ])('%s is rejected with code %i and a reason, and nothing on stdout', async (line, code) => {
    const ended = await run(...line.split(' '))
    expect([ended.code, ended.output]).toEqual([code, ''])
    expect(ended.errors).not.toBe('')
  })

  test('a rejection names every fault and where to read more', async () => {
    const { errors } = await run('pets', 'create', '--name', ' ', '--category-id', '1', '--status', 'gone')
    for (const fault of ['name: ', 'status: ', '/errors#validation_failed', '(request ']) {
      expect(errors).toContain(fault)
    }
  })

  test('no key, a wrong key and no service each have a message and an exit code', async () => {
    const none = await petstore(['pets', 'list'])
    expect(none).toEqual({ code: 3, output: '', errors: 'No API key: set PETSTORE_API_KEY or run `petstore login`.\n' })
    const wrong = await petstore(['pets', 'list'], { env: { ...env, PETSTORE_API_KEY: 'ps_wrong' } })
    expect([wrong.code, wrong.errors.includes('petstore login')]).toEqual([3, true])
    const lines = await petstore(['pets', 'list'], { env: { ...env, PETSTORE_API_KEY: 'two\nlines' } })
    expect([lines.code, lines.errors.includes('is not an API key')]).toEqual([3, true])
    const words = ['pets', 'list', '--url', 'http://127.0.0.1:1']
    const unreachable = await petstore(words, { env })
    expect([unreachable.code, unreachable.errors.includes('`petstore serve` starts one')]).toEqual([7, true])
    expect((await petstore(['pets', 'list', '--url', 'ftp://x'], { env })).code).toBe(2)
  })

  test.each([200, 404])('a web server that is not the service and returns %i is no service', async (status) => {
    const fetch = () => new Response('<h1>Welcome</h1>', { status, headers: { 'Content-Type': 'text/html' } })
    await using other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
    const { code, errors } = await petstore(['pets', 'get', '1', '--url', other.url.origin], { env })
    expect([code, errors]).toEqual([7, expect.stringContaining('Is this the URL of the service?')])
  })
})
