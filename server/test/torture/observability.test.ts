import { Database as Connection } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { eventually } from '../harness/eventually.ts'
import { repository } from '../harness/repository-files.ts'
import { debianProgram } from '../harness/run/debian-program.ts'
import { quickly, startPrometheus } from '../harness/run/prometheus.ts'
import { type Recorder, recordStatements } from '../harness/run/record-statements.ts'
import type { Service } from '../harness/service.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../platform/webhooks/shop.ts'

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const onPostgres = process.env.TEST_ENGINE === 'postgres'
const rulesText = read('deploy/observability/alerts.yaml')
const rules: { alert: string; expr: string; annotations: { runbook: string } }[] = parse(rulesText).groups[0].rules
const dashboard: { panels: { title: string; targets?: { expr: string }[] }[] } = JSON.parse(
  read('deploy/observability/dashboard.json'),
)
const expressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

test('each alert has a section in the page on monitoring that says what to do', () => {
  const sections = [...read('docs/monitor.md').matchAll(/^#### (Petstore\w+)\n\n(.+)/gm)].map(([, name]) => name)
  expect(sections).toEqual(rules.map(({ alert }) => alert))
  expect(rules.map(({ annotations }) => annotations.runbook)).toEqual(
    rules.map(({ alert }) => `docs/monitor.md#${alert.toLowerCase()}`),
  )
})

test('dashboard and alerts use only metrics that the page on monitoring lists', () => {
  const page = read('docs/monitor.md')
  const named = [...expressions, ...rules.map(({ expr }) => expr)].join(' ').match(/petstore_\w+/g) ?? []
  const unknown = named.filter((name) => !page.includes(`\`${name.replace(/_(bucket|sum|count)$/, '')}\``))
  expect(unknown).toEqual([])
})

/** Metrics of the other engine. A test's clock does not follow the database's, so there is no offset; see cluster/clocks.test.ts. */
const isElsewhere = onPostgres ? /sqlite_|commit_writes|clock_offset/ : /petstore_pool|limiter_degraded|clock_offset/

const prometheus = debianProgram('prometheus')

describe.if(prometheus !== undefined)('with Prometheus', () => {
  /** A shop with traffic, errors, a webhook that works and one that fails. */
  async function startBusyShop() {
    let way: Recorder | undefined
    const service = await startShop({
      ...(onPostgres && {
        by: async (url: string) => {
          way = await recordStatements(url)
          return way.url
        },
      }),
      env: { METRICS_PORT: '0', SLOW_STATEMENT_MS: '0', LOG_LEVEL: 'silent' },
    })
    const client = await service.newClient()
    const send = (method: string, path: string) =>
      fetch(service.url + path, { method, headers: { 'X-API-Key': service.adminSecret } }).then((response) =>
        response.text(),
      )
    const good = await startReceiver()
    const bad = await startReceiver(500)
    await newWebhook(client, good.url)
    const failing = await newWebhook(client, bad.url)
    const pet = await createPet(service)
    // From here on this path fails with 500, and streams with 503.
    await service.context.db.transaction((tx) => tx.query('ALTER TABLE stock_movements RENAME TO hidden'))
    service.context.streams.close()
    const load = async (round: number) => {
      await service.admin.post('/categories', { name: `Round ${round}` })
      await service.admin.get('/pets')
      await send('GET', `/store/inventory/${pet}/movements`)
      await send('GET', '/events/stream')
      await client.post(`${failing.path}/ping`)
    }
    return {
      service,
      metricsPort: Number(new URL(service.metricsUrl).port),
      load,
      cutDatabase: () => way?.stop(),
      async [Symbol.asyncDispose]() {
        await service.stop()
        way?.stop()
        await good[Symbol.asyncDispose]()
        await bad[Symbol.asyncDispose]()
      },
    }
  }

  test('every panel of the dashboard and every alert has data from a node under load', async () => {
    await using shop = await startBusyShop()
    await using scraper = await startPrometheus(prometheus ?? '', shop.metricsPort, rulesText)
    // Without its bound, an alert has a value while all is well.
    const unbounded = rules.map(({ expr }) => expr.replace(/ unless .*/, '').replace(/ (>|==) [\d.* ]+$/, ''))
    const wanted = new Set([...expressions, ...unbounded].filter((each) => !isElsewhere.test(each)).map(quickly))
    await shop.load(0)
    // Keys show when their minute is over.
    shop.service.clock.advance(60_000)
    let round = 1
    await eventually(
      async () => {
        await shop.load(round++)
        for (const expression of wanted) if ((await scraper.count(expression)) > 0) wanted.delete(expression)
        return wanted.size === 0
      },
      () => [...wanted],
    )
  })

  // Takes most of a minute, so it is one of the long tests.
  if (process.env.TORTURE) test('each alert fires when its fault is made', expectAlerts)

  // That of a wrong clock fires in cluster/clocks.test.ts, with libfaketime.
  async function expectAlerts(): Promise<void> {
    const shop = await startBusyShop()
    const { service, load } = shop
    const { db } = service.context
    await using scraper = await startPrometheus(prometheus ?? '', shop.metricsPort, rulesText)
    const fires = async (alert: string, make: (round: number) => unknown = () => undefined) => {
      let round = 0
      await eventually(
        async () => {
          if ((await scraper.firing()).has(alert)) return true
          await make(round++)
          return false
        },
        async () => [alert, 'does not fire', ...(await scraper.firing())],
      )
    }
    // The load has these faults already; SLOW_STATEMENT_MS=0 makes every statement a slow one.
    for (const alert of ['Errors', 'Unavailable', 'DatabaseErrors', 'SlowStatements', 'WebhookFails']) {
      await fires(`Petstore${alert}`, load)
    }
    await db.transaction((tx) => tx.query('ALTER TABLE pet_count_changes RENAME TO hidden_too'))
    await fires('PetstoreJobFails')
    await db.transaction((tx) => tx.query('ALTER TABLE hidden_too RENAME TO pet_count_changes'))
    await fires('PetstoreEventLoopBlocked', async () => {
      Bun.sleepSync(1_500)
      await Bun.sleep(600)
    })
    await fires('PetstoreSlow', (round) =>
      whileLocked(service, 1_500, () => service.admin.post('/categories', { name: `Slow ${round}` })),
    )
    const write = () => db.transaction((tx) => tx.query('UPDATE categories SET name = name WHERE id = 1'))
    await fires('PetstoreOverload', () =>
      whileLocked(service, 100, () => Promise.allSettled(Array.from({ length: 10_000 }, write))),
    )
    await using slow = await startReceiver(() => undefined)
    const client = await service.newClient()
    const webhook = await newWebhook(client, slow.url)
    for (let ping = 0; ping < 60; ping++) await client.post(`${webhook.path}/ping`)
    service.clock.advance(10 * 60_000)
    await fires('PetstoreWebhooksLate')
    if (onPostgres) await delayEvents(service, () => fires('PetstoreEventsLate'))
    else await growLog(service, () => fires('PetstoreSqliteLogLarge'))
    if (onPostgres) {
      shop.cutDatabase()
      await fires('PetstoreLimitsAlone', load)
    }
    await shop[Symbol.asyncDispose]()
    await fires('PetstoreNodeDown')
  }
})

async function createPet({ admin }: Service): Promise<number> {
  const category = await admin.post('/categories', { name: 'Dogs' })
  const pet = await admin.post('/pets', { name: 'Rex', categoryId: category.body.id })
  if (pet.status !== 201) throw new Error(JSON.stringify(pet.body))
  return pet.body.id
}

async function fileOf({ context }: Service): Promise<string> {
  const [{ file }] = (await context.db.query<{ file: string }>('PRAGMA database_list')) as [{ file: string }]
  return file
}

/** Starts `work` while no category can be written, for this long. */
async function whileLocked(service: Service, ms: number, work: () => Promise<unknown>): Promise<void> {
  if (!onPostgres) {
    using other = new Connection(await fileOf(service))
    other.run('BEGIN IMMEDIATE')
    const done = work()
    await Bun.sleep(ms)
    other.run('ROLLBACK')
    await done
    return
  }
  let done: Promise<unknown> | undefined
  await service.context.db.transaction(async (tx) => {
    await tx.query('LOCK TABLE categories IN EXCLUSIVE MODE')
    done = work()
    await Bun.sleep(ms)
  })
  await done
}

/** Hides an event behind an open transaction for a minute of the service's clock. */
async function delayEvents(service: Service, work: () => Promise<void>): Promise<void> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const open = service.context.db.exclusively(async (tx) => {
    await tx.query("INSERT INTO settings (name, value) VALUES ('open', '')")
    begin()
    await ended
  })
  await begun
  await service.admin.post('/categories', { name: 'Hidden' })
  service.clock.advance(60_000)
  await work()
  end()
  await open
}

/** Keeps SQLite's log from being truncated, and fills it. */
async function growLog(service: Service, work: () => Promise<void>): Promise<void> {
  using reader = new Connection(await fileOf(service))
  reader.run('BEGIN')
  reader.query('SELECT count(*) FROM settings').get()
  const value = 'x'.repeat(8 * 1024 * 1024)
  for (let part = 0; part < 9; part++) {
    const insert = 'INSERT INTO settings (name, value) VALUES ($1, $2)'
    await service.context.db.transaction((tx) => tx.query(insert, [`part ${part}`, value]))
  }
  await work()
}
