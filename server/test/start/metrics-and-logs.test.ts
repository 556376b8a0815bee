import { afterAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { flood } from '../harness/flood.ts'
import { repository } from '../harness/repository-files.ts'
import { startService } from '../harness/service.ts'
import { startReceiver } from '../platform/webhooks/receiver.ts'
import { newWebhook, startShop } from '../platform/webhooks/shop.ts'

const service = await startService({ env: { METRICS_PORT: '0', LOG_LEVEL: 'info' } })
afterAll(() => service.stop())
const onPostgres = process.env.TEST_ENGINE === 'postgres'

async function render(): Promise<string> {
  const response = await fetch(new URL('/metrics', service.metricsUrl))
  // The version of the format that Prometheus reads.
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  return response.text()
}

test('the port of the metrics has no other path, so a health check that is sent there by mistake fails', async () => {
  for (const path of ['/', '/healthz', '/readyz', '/metrics/', '/any/path']) {
    expect([path, (await fetch(new URL(path, service.metricsUrl))).status]).toEqual([path, 404])
  }
})

test('the metrics are those that the page on monitoring lists, for this engine', async () => {
  await service.admin.get('/pets')
  const page = readFileSync(join(repository, 'docs/monitor.md'), 'utf8')
  const cells = page.split('\n').map((line) => /^\| ((?:`petstore_\w+`(?:, )?)+) \|/.exec(line)?.[1] ?? '')
  const listed = cells.flatMap((cell) => cell.match(/petstore_\w+/g) ?? [])
  // A test's clock does not follow the database's; cluster/clocks.test.ts reads that metric.
  const isElsewhere = onPostgres
    ? /_(sqlite_log_bytes|clock_offset_seconds)$/
    : /^petstore_(pool|clock|limiter_(?!decisions))/
  const expected = listed.filter((name) => !isElsewhere.test(name))
  const described = [...(await render()).matchAll(/^# TYPE (petstore_\w+) /gm)].map(([, name]) => name as string)
  expect(described.toSorted()).toEqual(expected.toSorted())
})

test('every request is measured with its operation and status, a tool call with those it has over HTTP', async () => {
  const countOf = async (labels: string) => {
    const line = new RegExp(`^petstore_request_duration_seconds_count\\{${labels}\\} (\\d+)$`, 'm')
    return Number(line.exec(await render())?.[1] ?? 0)
  }
  const labels = 'operation="getCategory",status="404"'
  const before = await countOf(labels)
  await service.admin.get('/categories/2000000000')
  const headers = { Accept: 'application/json, text/event-stream', 'MCP-Protocol-Version': '2025-11-25' }
  const params = { name: 'get_category', arguments: { categoryId: 2_000_000_000 } }
  await service.admin.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)
  expect(await countOf(labels)).toBe(before + 2)
  // Percentiles are read from these bounds, so they are close to each other.
  const buckets = (await render()).matchAll(
    new RegExp(`_request_duration_seconds_bucket\\{${labels},le="([\\d.]+)"`, 'g'),
  )
  const bounds = [...buckets].map(([, bound]) => Number(bound))
  expect([bounds[0], bounds.at(-1)]).toEqual([0.001, 30])
  const ratios = bounds.slice(1).map((bound, index) => bound / (bounds[index] ?? 0))
  expect([Math.min(...ratios) >= 1.5, Math.max(...ratios) < 3.1]).toEqual([true, true])
})

test('a request is one JSON line with its id, operation, status, duration and key, and nothing that it contained', async () => {
  const client = await service.newClient({ preset: 'staff' })
  const name = 'a name that only the body has'
  await client.post('/categories?q=only-the-query', { name }, { 'X-Request-Id': 'mine', 'X-Other': 'only-a-header' })
  await client.post('/categories', { name }, { 'X-Request-Id': 'ours', 'X-Other': 'only-a-header' })
  service.context.log.flush()
  const lines = service.logged.join('').trim().split('\n')
  const lineOf = (requestId: string) =>
    lines.map((line) => JSON.parse(line)).find((line) => line.requestId === requestId)
  expect(lineOf('ours')).toEqual({
    time: new Date(service.clock.now()).toISOString(),
    level: 'info',
    message: 'request',
    requestId: 'ours',
    method: 'POST',
    operation: 'createCategory',
    status: 201,
    ms: expect.any(Number),
    keyId: client.keyId,
  })
  expect(lineOf('mine')).toMatchObject({ status: 400 })
  expect(lines.filter((line) => /only-|only the body/.test(line))).toEqual([])
  // Nor does a start without migrations say that it migrated.
  expect(lines.filter((line) => line.includes('"applied":[]'))).toEqual([])
})

/** The value of a series, as it is written in the text format; undefined if it is not there. */
function valueIn(text: string, series: string): number | undefined {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

const linesIn = (logged: readonly string[]) =>
  logged.flatMap((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  )

test('the process shows its memory, processor time, files and the lag of its event loop', async () => {
  const text = await render()
  for (const name of [
    'process_resident_memory_bytes',
    'process_cpu_seconds_total',
    'process_open_fds',
    'nodejs_eventloop_lag_max_seconds',
    'nodejs_heap_size_used_bytes',
  ]) {
    expect([name, valueIn(text, name)]).toEqual([name, expect.any(Number)])
  }
  // A blocked event loop shows as soon as it goes on.
  await eventually(async () => {
    Bun.sleepSync(200)
    await Bun.sleep(50)
    return (valueIn(await render(), 'nodejs_eventloop_lag_max_seconds') ?? 0) > 0.1
  })
})

test('processor time counts from the start of the process, not from the first scrape', async () => {
  const { user, system } = process.cpuUsage()
  const text = await render()
  const microseconds = (metric: string) => Math.round((valueIn(text, metric) ?? 0) * 1e6)
  expect(microseconds('process_cpu_user_seconds_total')).toBeGreaterThanOrEqual(user)
  expect(microseconds('process_cpu_system_seconds_total')).toBeGreaterThanOrEqual(system)
  expect(microseconds('process_cpu_seconds_total')).toBeGreaterThanOrEqual(user + system)
})

test('what clients send creates no series', async () => {
  const client = await service.newClient({ preset: 'staff' })
  const send = async (word: string) => {
    await client.get(`/pets?q=${word}&sort=name`)
    await client.get(`/${word}`)
    await service.as(word).get('/pets')
    await client.post('/categories', { name: word, [word]: word }, { 'X-Request-Id': word })
    await fetch(service.url + '/pets', { method: 'PURGE', headers: { 'X-API-Key': client.secret ?? '' } })
  }
  // Background jobs add their statements at any time, and keys are limited to ten.
  const series = async () =>
    (await render())
      .split('\n')
      .filter((line) => !/^#|statement=|key_id=/.test(line))
      .map((line) => line.replace(/ \S+$/, ''))
      .toSorted()
  await send('first')
  const before = await series()
  for (let index = 0; index < 10; index++) await send(`word${index}`)
  expect(await series()).toEqual(before)
})

test('limits and busy keys show in the metrics', async () => {
  const client = await service.newClient({ plan: 'free' })
  const rejected = async () => valueIn(await render(), 'petstore_limiter_decisions_total{decision="rejected"}') ?? 0
  const before = await rejected()
  await flood(client, 65)
  expect(await rejected()).toBe(before + 5)
  service.clock.advance(60_000)
  expect(valueIn(await render(), `petstore_busiest_key_requests{key_id="${client.keyId}"}`)).toBe(65)
  service.clock.advance(60_000)
  expect(await render()).not.toContain(`key_id="${client.keyId}"`)
  // Nobody looks for two minutes: those requests are not of the last one.
  await client.get('/pets')
  service.clock.advance(120_000)
  expect(await render()).not.toContain(`key_id="${client.keyId}"`)
})

test('a ban is counted', async () => {
  const client = await service.newClient({ plan: 'free' })
  const bans = async () => valueIn(await render(), 'petstore_key_bans_total')
  const before = (await bans()) ?? 0
  await flood(client, 61)
  service.clock.advance(2_000)
  await eventually(async () => (await client.get('/pets')).body.code === 'key_banned')
  expect(await bans()).toBe(before + 1)
})

test('a job that fails is counted, and the time of its last success stays', async () => {
  const other = await startService()
  const { metrics, db } = other.context
  await db.transaction((tx) => tx.query('ALTER TABLE pet_count_changes RENAME TO hidden'))
  const renamedAt = other.clock.now() / 1000
  other.clock.advance(60_000)
  const failures = (text: string, job: string) => valueIn(text, `petstore_job_failures_total{job_name="${job}"}`) ?? 0
  const doneAt = (text: string, job: string) =>
    valueIn(text, `petstore_job_last_success_timestamp_seconds{job_name="${job}"}`) ?? 0
  const text = await eventually(async () => {
    const seen = await metrics.render()
    return failures(seen, 'add-up-pet-counts') > 0 && doneAt(seen, 'add-up-shop-counts') > renamedAt && seen
  })
  expect(doneAt(text, 'add-up-pet-counts')).toBeLessThanOrEqual(renamedAt)
  expect(failures(text, 'add-up-shop-counts')).toBe(0)
  await other.stop()
})

test('commits, repeated transactions and rejected work are counted', async () => {
  const other = await startService()
  const { metrics, db } = other.context
  const read = async (series: string) => valueIn(await metrics.render(), series) ?? 0
  const counted = async (series: string, work: () => Promise<unknown>) => {
    const before = await read(series)
    await work()
    return (await read(series)) - before
  }
  const writeOne = () => other.admin.newCategory()
  // Jobs of the service commit too.
  expect(await counted('petstore_commit_duration_seconds_count', writeOne)).toBeGreaterThanOrEqual(1)
  expect(await counted('petstore_commit_duration_seconds_sum', writeOne)).toBeGreaterThan(0)
  if (!onPostgres) expect(await counted('petstore_commit_writes_sum', writeOne)).toBeGreaterThanOrEqual(1)

  const insert = "INSERT INTO settings (name, value) VALUES ($1, '')"
  const retried = await counted('petstore_database_retries_total', async () => {
    if (onPostgres) {
      let isFirst = true
      await db.transaction(async (tx) => {
        const code = isFirst ? '40001' : '00000'
        isFirst = false
        await tx.query(
          `DO $$ BEGIN IF '${code}' <> '00000' THEN RAISE EXCEPTION USING ERRCODE = '${code}'; END IF; END $$`,
        )
      })
      return
    }
    // The second of two that share a commit fails after a change, so the first is done again.
    await Promise.allSettled([
      db.transaction((tx) => tx.query(insert, ['first'])),
      db.transaction(async (tx) => {
        await tx.query(insert, ['second'])
        throw new Error('no')
      }),
    ])
  })
  expect(retried).toBeGreaterThanOrEqual(1)

  let rejected = 0
  const shed = await counted('petstore_database_shed_total', async () => {
    const read = () => db.transaction((tx) => tx.query('SELECT 1'))
    const results = await Promise.allSettled(Array.from({ length: 10_000 }, read))
    rejected = results.filter(({ status }) => status === 'rejected').length
  })
  expect(rejected).toBeGreaterThan(0)
  expect(shed).toBeGreaterThanOrEqual(rejected)
  await other.stop()
})

test('a slow statement is logged with its SQL, without values, and counted', async () => {
  const slow = await startService({ env: { SLOW_STATEMENT_MS: '0', LOG_LEVEL: 'warn' } })
  await slow.admin.post('/categories', { name: 'only a value' })
  slow.context.log.flush()
  const line = linesIn(slow.logged).find(({ sql }) => /INSERT INTO categories/.test(sql))
  expect(line).toMatchObject({ level: 'warn', message: 'slow statement', ms: expect.any(Number) })
  expect(line.reason).toContain('INSERT categories')
  expect(slow.logged.join('')).not.toContain('only a value')
  const counted = valueIn(
    await slow.context.metrics.render(),
    `petstore_slow_statements_total{statement="${line.reason}"}`,
  )
  expect(counted).toBeGreaterThan(0)
  await slow.stop()
})

test('at debug, statements, jobs and webhook attempts are logged', async () => {
  const verbose = await startShop({ env: { LOG_LEVEL: 'debug' } })
  await using receiver = await startReceiver(500)
  const client = await verbose.newClient()
  const webhook = await newWebhook(client, receiver.url)
  await client.post(`${webhook.path}/ping`)
  const series = `petstore_webhook_attempts_total{webhook_id="${webhook.id}",result="retried"}`
  await eventually(async () => valueIn(await verbose.context.metrics.render(), series) === 1)
  const lines = await eventually(() => {
    verbose.context.log.flush()
    const all = linesIn(verbose.logged)
    return all.some(({ job }) => job === 'add-up-usage') && all
  })
  expect(lines).toContainEqual(expect.objectContaining({ message: 'webhook attempt', status: 500, result: 'retried' }))
  expect(lines).toContainEqual(expect.objectContaining({ message: 'background job done', job: 'add-up-usage' }))
  expect(lines).toContainEqual(expect.objectContaining({ message: 'statement', statement: 'SELECT webhooks' }))
  await verbose.stop()
})

describe.if(onPostgres)('on PostgreSQL', () => {
  test('the connections of each pool show in the metrics', async () => {
    const text = await render()
    expect(valueIn(text, 'petstore_pool_connections_max{pool="work"}')).toBe(7)
    expect(valueIn(text, 'petstore_pool_connections_max{pool="reads"}')).toBe(3)
    expect(valueIn(text, 'petstore_pool_connections{pool="counters"}')).toBe(2)
    await eventually(async () => valueIn(await render(), 'petstore_pool_connections_used{pool="work"}') === 0)
  })

  test('an event behind an open transaction shows as lag', async () => {
    const { db, visibility } = service.context
    // Transactions in the other databases of the server hold events back too.
    const nothingIsBehind = () =>
      eventually(async () => {
        await visibility.measure(service.clock.now())
        return visibility.lagMs() === 0
      })
    await nothingIsBehind()
    const { promise: ended, resolve: end } = Promise.withResolvers<void>()
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const open = db.transaction(async (tx) => {
      await tx.query("INSERT INTO settings (name, value) VALUES ('open', '')")
      begin()
      await ended
    })
    await begun
    await service.admin.post('/categories', { name: 'Behind it' })
    service.clock.advance(5_000)
    await visibility.measure(service.clock.now())
    end()
    await open
    expect(visibility.lagMs()).toBe(5_000)
    await nothingIsBehind()
  })
})
