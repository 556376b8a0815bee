import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { call, type Nodes, startNodes } from '../../server/test/harness/nodes.ts'
import { type Ended, petstore } from './harness/petstore.ts'

// Commands that use a service do not depend on its engine, so one pass is enough.
const once = process.env.TEST_ENGINE !== 'postgres'

describe.if(once)('the shop from the command line', () => {
  let shop: Nodes
  let env: Record<string, string>
  beforeAll(async () => {
    shop = await startNodes(1, { SAMPLE_DATA: 'true', WEBHOOK_ALLOW_PRIVATE: 'true' })
    env = { PETSTORE_URL: shop.nodes[0]?.url ?? '', PETSTORE_API_KEY: shop.adminSecret }
  })
  afterAll(() => shop.stop())

  const run = (...words: string[]) => petstore(words, { env })
  /** Runs a command with --json and returns its answer. */
  async function json(...words: string[]) {
    const { code, output, errors } = await run(...words, '--json')
    expect([code, errors]).toEqual([0, ''])
    return JSON.parse(output)
  }
  const firstLine = ({ output }: Ended) => output.split('\n')[0]

  test('pets: create, get, update, list, delete', async () => {
    const created = await json('pets', 'create', '--name', 'Bess', '--category-id', '1')
    expect(created).toMatchObject({ name: 'Bess', categoryId: 1, status: 'available' })
    const id = String(created.id)
    expect(await json('pets', 'get', id)).toMatchObject({ name: 'Bess', stock: 1, category: { name: 'Dogs' } })
    expect(await json('pets', 'update', id, '--status', 'pending')).toMatchObject({ status: 'pending', name: 'Bess' })
    const found = await run('pets', 'list', '--q', 'bess', '--status', 'pending,sold')
    expect(firstLine(found)).toMatch(/^ID +NAME +CATEGORY +STATUS +STOCK$/)
    expect(found.output).toMatch(new RegExp(`^${id} +Bess +Dogs +pending +1$`, 'm'))
    expect(await run('pets', 'delete', id)).toMatchObject({ code: 0, output: 'Deleted.\n' })
    expect(await run('pets', 'get', id)).toMatchObject({ code: 4, output: '' })
  })

  test('a list shows the first 20 and says if there are more; --all shows all', async () => {
    const some = await run('pets', 'list')
    expect(some.output.trimEnd().split('\n')).toHaveLength(21)
    expect(some.errors).toContain('--all')
    const all = await json('pets', 'list', '--all')
    expect(all.length).toBeGreaterThanOrEqual(40)
    expect(await json('pets', 'list', '--limit', '3', '--sort', '-id', '--all')).toHaveLength(all.length)
  })

  test('categories: create, get, update, list, delete', async () => {
    const created = await json('categories', 'create', '--name', 'Horses', '--description', 'Need a meadow.')
    const id = String(created.id)
    expect(await json('categories', 'get', id)).toEqual(created)
    expect(await json('categories', 'update', id, '--name', 'Ponies')).toMatchObject({ name: 'Ponies' })
    expect((await run('categories', 'list', '--q', 'poni')).output).toContain('Need a meadow.')
    expect((await run('categories', 'delete', id)).code).toBe(0)
  })

  test('orders: create, get, update, list, delete', async () => {
    const created = await json('orders', 'create', '--pet-id', '17', '--quantity', '2')
    const id = String(created.id)
    expect(await json('orders', 'get', id)).toEqual(created)
    expect(await json('orders', 'update', id, '--quantity', '1')).toMatchObject({ quantity: 1 })
    expect((await run('orders', 'list', '--complete', 'false', '--sort', '-id')).output).toMatch(
      new RegExp(`^${id} +17 +1 +no`, 'm'),
    )
    expect((await run('orders', 'delete', id)).code).toBe(0)
    const done = await json('orders', 'create', '--pet-id', '17', '--complete', '--ship-date', '2026-12-24T12:00:00Z')
    expect(done).toMatchObject({ complete: true, shipDate: '2026-12-24T12:00:00.000Z' })
  })

  test('inventory: get, update, delete, create, list', async () => {
    expect(await json('inventory', 'update', '2', '--quantity', '9')).toMatchObject({ petId: 2, quantity: 9 })
    expect(await json('inventory', 'update', '2', '--delta', '-4', '--reason', 'Moved')).toMatchObject({ quantity: 5 })
    expect(await json('inventory', 'get', '2')).toMatchObject({ quantity: 5 })
    expect((await run('inventory', 'delete', '2')).code).toBe(0)
    expect(await json('inventory', 'create', '2', '--quantity', '1')).toMatchObject({ quantity: 1 })
    expect((await run('inventory', 'list', '--max-quantity', '1')).output).toMatch(/^2 +1 +available$/m)
  })

  test('keys: create, list, rotate, unban, revoke', async () => {
    const created = await run('keys', 'create', '--name', 'App', '--plan', 'free', '--preset', 'reader')
    const [, id = '', secret = ''] = /^Key (\d+), "App"[\s\S]*^ {2}(ps_\w{36})$/m.exec(created.output) ?? []
    const app = { PETSTORE_URL: env.PETSTORE_URL ?? '', PETSTORE_API_KEY: secret }
    expect((await petstore(['pets', 'list'], { env: app })).code).toBe(0)
    expect((await petstore(['keys', 'list'], { env: app })).code).toBe(3)
    expect((await run('keys', 'list')).output).toMatch(new RegExp(`^${id} +App +${secret.slice(0, 8)} +free`, 'm'))
    const rotated = await json('keys', 'rotate', id, '--grace-seconds', '0')
    expect((await petstore(['pets', 'list'], { env: app })).code).toBe(3)

    const url = env.PETSTORE_URL ?? ''
    while ((await call(url, rotated.secret, 'GET', '/pets?limit=1')).body.code !== 'key_banned');
    const banned = { ...app, PETSTORE_API_KEY: rotated.secret }
    expect((await petstore(['pets', 'get', '1'], { env: banned })).code).toBe(6)
    expect(await run('keys', 'unban', id)).toMatchObject({ code: 0, output: 'Ban lifted.\n' })
    expect(await run('keys', 'revoke', id)).toMatchObject({ code: 0, output: 'Revoked.\n' })
    // In a new process: this one still waits for the window that the ban left full.
    expect((await petstore(['pets', 'get', '1'], { env: banned, asProcess: true })).code).toBe(3)
  })

  test('events: list past events, and tail new ones', async () => {
    const created = await json('pets', 'create', '--name', 'Watched', '--category-id', '1')
    const listed = await json('events', 'list', '--type', 'pet.created', '--all')
    const last = listed.at(-1)
    expect([last.type, last.data.id]).toEqual(['pet.created', created.id])
    // From a known position, so that the order of the two commands does not matter.
    const tail = run('events', 'tail', '--after', last.id, '--type', 'pet.updated', '--limit', '2', '--json')
    for (const name of ['Watched once', 'Watched twice'])
      await json('pets', 'update', String(created.id), '--name', name)
    const { code, output, errors } = await tail
    expect([code, errors]).toEqual([0, ''])
    const seen = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(seen.map(({ type, data }) => [type, data.name])).toEqual([
      ['pet.updated', 'Watched once'],
      ['pet.updated', 'Watched twice'],
    ])
    const printed = await run('events', 'tail', '--after', last.id, '--type', 'pet.*', '--limit', '1')
    expect(printed.output).toMatch(/^\S+Z {2}pet\.updated +\S+ {2}\{.*"Watched once".*\}\n$/)
  })

  test('webhooks: create, list, get, ping, deliveries, redeliver, replay, rotate, update, delete', async () => {
    const received: string[] = []
    using receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        received.push(((await request.json()) as { type: string }).type)
        return new Response(null, { status: 204 })
      },
    })
    const to = `http://127.0.0.1:${receiver.port}/hooks`
    const created = await run('webhooks', 'create', '--to', to, '--events', 'pet.*,order.placed')
    const [, id = ''] = /^Webhook (\d+) sends to [\s\S]*^ {2}whsec_\S+$/m.exec(created.output) ?? []
    expect((await run('webhooks', 'list')).output).toMatch(new RegExp(`^${id} +yes +pet.\\* order.placed +${to}$`, 'm'))
    const { id: delivery, type } = await json('webhooks', 'ping', id)
    expect(type).toBe('webhook.ping')
    const state = async () => (await json('webhooks', 'deliveries', id, '--state', 'delivered')).length
    while ((await state()) < 1);
    expect(received).toEqual(['webhook.ping'])
    expect(await json('webhooks', 'redeliver', id, String(delivery))).toMatchObject({ id: delivery })
    await json('pets', 'create', '--name', 'Heard of', '--category-id', '1')
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const replayed = await json('webhooks', 'replay', id, '--from', from, '--events', 'pet.created')
    expect(replayed.scheduled).toBeGreaterThanOrEqual(1)
    const { secret } = await json('webhooks', 'rotate', id, '--grace-seconds', '60')
    expect(secret).toStartWith('whsec_')
    expect(await json('webhooks', 'update', id, '--active', 'false')).toMatchObject({ active: false, url: to })
    expect(await json('webhooks', 'get', id)).toMatchObject({ active: false })
    expect(await run('webhooks', 'delete', id)).toMatchObject({ code: 0, output: 'Deleted.\n' })
  })

  test.each([
    ['pets list --status gone', 5],
    ['pets get 999999', 4],
    ['pets create --name Rex', 5],
    ['pets update 1 --category-id 999999', 5],
    ['pets delete 999999', 4],
    ['categories list --sort color', 5],
    ['categories get 999999', 4],
    ['categories create', 5],
    ['categories update 999999 --name X', 4],
    ['categories delete 1', 5],
    ['orders list --placed-from yesterday', 5],
    ['orders get 999999', 4],
    ['orders create --pet-id 999999', 5],
    ['orders update 999999 --quantity 1', 4],
    ['orders delete 999999', 4],
    ['inventory list --max-quantity -1', 5],
    ['inventory get 999999', 4],
    ['inventory create 1 --quantity 1', 5],
    ['inventory update 1 --delta -1000000', 5],
    ['inventory delete 999999', 4],
    ['events list --type nothing', 5],
    ['events tail --type nothing', 5],
    ['webhooks list --limit x', 2],
    ['webhooks get 999999', 4],
    ['webhooks create --to nowhere --events *', 5],
    ['webhooks update 999999 --active true', 4],
    ['webhooks rotate 999999', 4],
    ['webhooks delete 999999', 4],
    ['webhooks ping 999999', 4],
    ['webhooks deliveries 999999', 4],
    ['webhooks redeliver 999999 1', 4],
    ['webhooks replay 999999 --from 2026-01-01T00:00:00Z', 4],
    ['keys list --limit x', 2],
    ['keys create --name X --plan gold', 5],
    ['keys rotate 999999', 4],
    ['keys revoke 999999', 4],
    ['keys unban 999999', 4],
  ])('%s is refused with code %i and a reason, and nothing on stdout', async (line, code) => {
    const ended = await run(...line.split(' '))
    expect([ended.code, ended.output]).toEqual([code, ''])
    expect(ended.errors).not.toBe('')
  })

  test('a refusal names every fault and where to read more', async () => {
    const { errors } = await run('pets', 'create', '--status', 'gone')
    for (const fault of ['name: ', 'categoryId: ', 'status: ', '/errors#validation_failed', '(request ']) {
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
})
