import { afterAll, describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { verifyWebhook } from '@petstore/sdk'
import { call } from '../../server/test/harness/nodes.ts'
import { newDirectory } from '../../server/test/harness/scratch.ts'
import { commandsByName } from '../generate/calls.ts'
import { callsOf } from '../src/calls.ts'
import { type Ended, petstore } from './harness/petstore.ts'
import { recordCalls } from './harness/record-calls.ts'
import { startSampleShop } from './harness/sample-shop.ts'

const shop = await startSampleShop({ WEBHOOK_ALLOW_PRIVATE: 'true' })
const { env } = shop

describe('the shop from the command line', () => {
  const recorder = recordCalls()
  afterAll(async () => {
    recorder.stop()
    await shop.stop()
  })

  const run = (...words: string[]) => recorder.during(words, () => petstore(words, { env }))
  /** Runs a command with --json and returns its response. */
  async function json(...words: string[]) {
    const { code, output, errors } = await run(...words, '--json')
    expect([code, errors]).toEqual([0, ''])
    return JSON.parse(output)
  }
  /** Expects a dry run to show the one thing that would be lost. */
  async function losesNothing(...words: string[]) {
    expect(await json(...words, '--dry-run')).toHaveLength(1)
  }
  const titles = ({ output }: Ended) => output.split('\n')[0]?.split(/ {2,}/)
  const firstLine = ({ output }: Ended) => output.split('\n')[0]

  test('pets: create, get, update, list, delete', async () => {
    const created = await json('pets', 'create', '--name', 'Bess', '--category-id', '1')
    expect(created).toMatchObject({ name: 'Bess', categoryId: 1, status: 'available' })
    const id = String(created.id)
    expect(await json('pets', 'get', id)).toMatchObject({ name: 'Bess', stock: 1, category: { name: 'Dogs' } })
    expect(await json('pets', 'update', id, '--status', 'pending')).toMatchObject({ status: 'pending', name: 'Bess' })
    expect((await run('pets', 'update', id, '--name', 'Bess')).output).toBe((await run('pets', 'get', id)).output)
    const found = await run('pets', 'list', '--q', 'bess', '--status', 'pending,sold')
    expect(firstLine(found)).toMatch(/^ID +NAME +CATEGORY +STATUS +STOCK$/)
    expect(found.output).toMatch(new RegExp(`^${id} +Bess +Dogs +pending +1$`, 'm'))
    await losesNothing('pets', 'delete', id)
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
    await losesNothing('categories', 'delete', id)
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
    await losesNothing('orders', 'delete', id)
    expect((await run('orders', 'delete', id)).code).toBe(0)
    const history = (await run('orders', 'history', id)).output
    for (const part of ['placed', 'quantity 2 → 1', 'cancelled']) expect(history).toContain(part)
    const done = await json('orders', 'create', '--pet-id', '17', '--complete', '--ship-date', '2026-12-24T12:00:00Z')
    expect(done).toMatchObject({ complete: true, shipDate: '2026-12-24T12:00:00.000Z' })
  })

  test('settings: get, update', async () => {
    expect(await json('settings', 'update', '--low-stock-max', '3')).toEqual({ lowStockMax: 3 })
    const etag = (await run('settings', 'get', '--etag')).output.trim()
    expect(await json('settings', 'update', '--low-stock-max', '2', '--if-match', etag)).toEqual({ lowStockMax: 2 })
    expect((await run('settings', 'get')).output).toContain('2 or fewer')
  })

  test('inventory: get, update, delete, create, list', async () => {
    expect(await json('inventory', 'update', '2', '--quantity', '9')).toMatchObject({ petId: 2, quantity: 9 })
    expect(await json('inventory', 'update', '2', '--delta', '-4', '--reason', 'Moved')).toMatchObject({ quantity: 5 })
    expect(await json('inventory', 'get', '2')).toMatchObject({ quantity: 5 })
    expect((await run('inventory', 'movements', '2', '--cause', 'adjusted')).output).toMatch(
      /-4 +adjusted +\d+ +Moved$/m,
    )
    await losesNothing('inventory', 'delete', '2')
    expect((await run('inventory', 'delete', '2')).code).toBe(0)
    expect(await json('inventory', 'create', '2', '--quantity', '1')).toMatchObject({ quantity: 1 })
    expect((await run('inventory', 'list', '--max-quantity', '1')).output).toMatch(/^2 +1 +available$/m)
  })

  test('keys: create, list, get, update, rotate, unban, revoke', async () => {
    const created = await run('keys', 'create', '--name', 'App', '--plan', 'free', '--preset', 'reader')
    const [, id = '', secret = ''] = /^(\d+) +App +ps_\w+ +free[\s\S]*^ {2}(ps_\w{36})$/m.exec(created.output) ?? []
    const app = { PETSTORE_URL: env.PETSTORE_URL ?? '', PETSTORE_API_KEY: secret }
    expect((await petstore(['pets', 'list'], { env: app })).code).toBe(0)
    expect((await petstore(['keys', 'list'], { env: app })).code).toBe(3)
    expect((await run('keys', 'list')).output).toMatch(new RegExp(`^${id} +App +${secret.slice(0, 8)} +free`, 'm'))
    const limits = ['--plan', 'enterprise', '--per-minute', '60', '--per-day', '1000']
    expect(await json('keys', 'update', id, ...limits, '--expires-at', '2099-01-01T00:00:00Z')).toMatchObject({
      limits: { perMinute: 60, perDay: 1000 },
      expiresAt: '2099-01-01T00:00:00.000Z',
    })
    expect(await json('keys', 'update', id, '--expires-at', 'none')).not.toHaveProperty('expiresAt')
    expect(titles(await run('keys', 'get', id))).toEqual(titles(await run('keys', 'list')))
    const rotated = await json('keys', 'rotate', id, '--grace-seconds', '0')
    expect((await petstore(['pets', 'list'], { env: app })).code).toBe(3)

    const url = env.PETSTORE_URL ?? ''
    while ((await call(url, rotated.secret, 'GET', '/pets?limit=1')).body.code !== 'key_banned');
    const banned = { ...app, PETSTORE_API_KEY: rotated.secret }
    expect((await petstore(['pets', 'get', '1'], { env: banned })).code).toBe(6)
    expect(await run('keys', 'unban', id)).toMatchObject({ code: 0, output: 'Ban lifted.\n' })
    await losesNothing('keys', 'revoke', id)
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
    expect([code, errors]).toEqual([0, 'Waiting for events. Ctrl-C stops.\n'])
    const seen = output
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(seen.map(({ type, data }) => [type, data.name])).toEqual([
      ['pet.updated', 'Watched once'],
      ['pet.updated', 'Watched twice'],
    ])
    const printed = await run('events', 'tail', '--after', last.id, '--type', 'pet.*', '--limit', '1')
    expect(printed.output).toMatch(
      /^\S+Z {2}pet\.updated +\S+ {2}pet \d+ "Watched once": name Watched → Watched once \(key \d+\)\n$/,
    )
  })

  test('webhooks: create, list, get, ping, deliveries, delivery, redeliver, replay, rotate, update, delete', async () => {
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
    const [, id = ''] = /^(\d+) +yes [\s\S]*^ {2}whsec_\S+$/m.exec(created.output) ?? []
    expect((await run('webhooks', 'list')).output).toMatch(new RegExp(`^${id} +yes +pet.\\* order.placed +${to}$`, 'm'))
    const { id: delivery, type } = await json('webhooks', 'ping', id)
    expect(type).toBe('webhook.ping')
    const state = async () => (await json('webhooks', 'deliveries', id, '--state', 'delivered')).length
    while ((await state()) < 1);
    expect(received).toEqual(['webhook.ping'])
    const sent = await json('webhooks', 'delivery', id, String(delivery))
    expect(JSON.parse(sent.payload).type).toBe('webhook.ping')
    expect(await json('webhooks', 'redeliver', id, String(delivery))).toMatchObject({ id: delivery })
    await json('pets', 'create', '--name', 'Heard of', '--category-id', '1')
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const replayed = await json('webhooks', 'replay', id, '--from', from, '--events', 'pet.created')
    expect(replayed.scheduled).toBeGreaterThanOrEqual(1)
    const { secret } = await json('webhooks', 'rotate', id, '--grace-seconds', '60')
    expect(secret).toStartWith('whsec_')
    expect(await json('webhooks', 'update', id, '--active', 'false')).toMatchObject({ active: false, url: to })
    expect(await json('webhooks', 'get', id)).toMatchObject({ active: false })
    await losesNothing('webhooks', 'delete', id)
    expect(await run('webhooks', 'delete', id)).toMatchObject({ code: 0, output: 'Deleted.\n' })
  })

  test('--category names a category; one that several have must be given by its id', async () => {
    const rex = await run('pets', 'create', '--name', 'By name', '--category', 'Cats')
    expect(rex.output).toMatch(/By name +Cats +available +1$/m)
    const [found] = await json('pets', 'list', '--category', 'Cats', '--q', 'By name')
    expect((await run('pets', 'update', String(found.id), '--category', 'Birds')).output).toMatch(/By name +Birds/)
    expect((await run('pets', 'counts', '--category', 'Cats', '--status', 'available')).output).toMatch(/^all +\d+$/m)
    const twins = [
      await json('categories', 'create', '--name', 'Twin'),
      await json('categories', 'create', '--name', 'Twin'),
    ]
    const missing = await run('pets', 'list', '--category', 'Nowhere')
    expect([missing.code, missing.output, missing.errors]).toEqual([
      4,
      '',
      expect.stringContaining('no category "Nowhere"'),
    ])
    const { code, errors } = await run('pets', 'create', '--name', 'X', '--category', 'Twin')
    expect([code, errors]).toEqual([
      2,
      `Several categories have this name: ${twins.map(({ id }) => id).join(', ')}. Choose one with --category-id.\n`,
    ])
  })

  test('--if-match rejects a change of what has changed since --etag', async () => {
    const { id } = await json('categories', 'create', '--name', 'Edited')
    const etag = (await run('categories', 'get', String(id), '--etag')).output.trim()
    const rename = (name: string) => run('categories', 'update', String(id), '--name', name, '--if-match', etag)
    expect([(await rename('Once')).code, (await rename('Twice')).code]).toEqual([0, 5])
    expect((await run('categories', 'delete', String(id), '--if-match', etag)).code).toBe(5)
  })

  test('--if-match also holds for a count, whether it is set or changed by a number', async () => {
    const stock = async () => (await json('inventory', 'get', '1')).quantity
    const etag = (await run('inventory', 'get', '1', '--etag')).output.trim()
    const before = await stock()
    const update = (...change: string[]) => run('inventory', 'update', '1', ...change, '--if-match', etag)
    expect((await update('--delta', '1')).code).toBe(0)
    for (const change of [
      ['--delta', '1'],
      ['--quantity', '7'],
    ])
      expect((await update(...change)).code).toBe(5)
    expect(await stock()).toBe(before + 1)
  })

  test('whoami, limits and usage are about the key in use', async () => {
    const me = await json('whoami')
    expect(me).toMatchObject({ url: env.PETSTORE_URL, source: 'PETSTORE_API_KEY', plan: 'enterprise' })
    expect(shop.adminSecret).toStartWith(me.prefix)
    expect((await run('whoami')).output).toMatch(/^Scopes +.*keys:manage/m)
    expect((await run('limits')).output).toMatch(/^minute +10000 +\d+ +\S+Z\n.*\nPlan enterprise\.$/m)
    expect((await run('usage', '--key-id', String(me.keyId), '--per', 'day')).output).toMatch(
      /^FROM +ALLOWED +LIMITED +ERRORS/,
    )
  })

  test('summary shows the shop in figures', async () => {
    const { output } = await run('summary', '--hours', '2')
    expect(output).toMatch(/^FROM +PLACED +COMPLETED +CANCELLED +SOLD\n(\S+Z( +\d+){4}\n){2}Open orders: \d+\./)
    expect((await run('summary', '--days', '7')).output.match(/^\S+Z /gm)).toHaveLength(7)
  })

  test('webhooks listen sends new events to a local receiver, signed as the service signs them', async () => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
    const received: unknown[] = []
    const kinds = new Set<string>()
    const timeouts = spyOn(AbortSignal, 'timeout')
    using receiver = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      async fetch(request) {
        kinds.add(`${request.headers.get('content-type')} ${request.headers.get('user-agent')}`)
        received.push(await verifyWebhook(await request.text(), request.headers, secret))
        // A redirect is not followed: what is signed is for this address.
        return received.length === 1 ? Response.redirect('/elsewhere', 302) : new Response(null, { status: 204 })
      },
    })
    const { id: pet } = await json('pets', 'create', '--name', 'Forwarded', '--category-id', '1')
    const [created] = (await json('events', 'list', '--type', 'pet.created', '--all')).slice(-1)
    for (const name of ['One', 'Two']) await json('pets', 'update', String(pet), '--name', name)
    const words = ['--events', 'pet.updated', '--after', created.id, '--limit', '2']
    const listen = (to: string) =>
      recorder.during(['webhooks', 'listen'], () =>
        petstore(['webhooks', 'listen', '--forward-to', to, ...words], { env: { ...env, WEBHOOK_SECRET: secret } }),
      )
    const { code, output } = await listen(`http://127.0.0.1:${receiver.port}/hooks`)
    expect([
      code,
      output
        .trimEnd()
        .split('\n')
        .map((line) => line.split('→ ')[1]),
    ]).toEqual([0, ['302', '204']])
    const events = await json('events', 'list', '--after', created.id, '--type', 'pet.updated')
    expect(received).toEqual(events)
    expect([...kinds]).toEqual(['application/json petstore-webhooks/1'])
    expect(timeouts.mock.calls).toEqual([[15_000], [15_000]])
    timeouts.mockRestore()
    const wrong = { ...env, WEBHOOK_SECRET: 'secret' }
    const rejected = await petstore(['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:1/'], { env: wrong })
    expect([rejected.code, rejected.errors]).toEqual([2, expect.stringContaining('WEBHOOK_SECRET must')])
    // No receiver is reported, and the next event is still sent.
    expect((await listen('http://127.0.0.1:1/')).output.trimEnd().split('\n')).toHaveLength(2)
    const fresh = await petstore(['webhooks', 'listen', '--forward-to', 'http://127.0.0.1:1/', ...words], { env })
    expect(fresh.errors).toMatch(/^Sending events to http:\/\/127\.0\.0\.1:1\/\nSigned with whsec_\S{44}$/m)
  })

  test('import and export', async () => {
    using home = newDirectory()
    const file = join(home.path, 'pets.ndjson')
    await Bun.write(file, '{"name":"Held","category":"Imported","status":"sold","stock":2}\n')
    expect(await run('import', file)).toMatchObject({ code: 0, errors: '' })
    expect((await run('export')).output).toContain('"Held"')
    expect((await run('export', '--dry-run')).code).toBe(0)
  })

  test('every command was run here, and called the operations of the table of calls', () => {
    for (const [name, command] of commandsByName()) {
      const declared = callsOf(command)
      // login.test.ts runs it, with a key from standard input.
      if (declared.length === 0 || name === 'login') continue
      expect([name, ...declared.filter((id) => !recorder.calls.get(name)?.has(id))]).toEqual([name])
    }
  })
})
