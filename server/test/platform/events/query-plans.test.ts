import { Database as SqliteDatabase } from 'bun:sqlite'
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { Glob, SQL } from 'bun'
import { findOldestTime, scanEvents } from '../../../src/platform/events/log.ts'
import { pruneEvents } from '../../../src/platform/events/prune.ts'
import { dayMs } from '../../../src/platform/lib/time.ts'
import { reserve } from '../../../src/platform/webhooks/backlog.ts'
import {
  type DeliveryRow,
  findLatestAttempts,
  forgetOldDeliveries,
  insertAttempt,
  release,
} from '../../../src/platform/webhooks/deliveries.ts'
import { catchUp } from '../../../src/platform/webhooks/fan-out.ts'
import { createSigningSecrets, resealSecrets } from '../../../src/platform/webhooks/signing-secrets.ts'
import { countWaiting, findFailing, findNextDue, setStart } from '../../../src/platform/webhooks/store.ts'
import { type Recorder, recordStatements } from '../../harness/run/record-statements.ts'
import { longAgo, type Service, testClock } from '../../harness/service.ts'
import { startReceiver } from '../webhooks/receiver.ts'
import { deliveriesOnce, newWebhook, startShop } from '../webhooks/shop.ts'

// No statement of these folders reads a whole log: neither that of events nor that of deliveries.

const folders = ['events', 'feed', 'webhooks']
const logs = ['events', 'webhook_deliveries', 'webhook_attempts']
const onPostgres = process.env.TEST_ENGINE === 'postgres'

let service: Service
let databaseUrl = ''
let recorder: Recorder | undefined
const prepare = spyOn(SqliteDatabase.prototype, 'prepare')

beforeAll(async () => {
  service = await startShop({
    clock: testClock(longAgo),
    by: async (url) => {
      databaseUrl = url
      if (!onPostgres) return url
      recorder = await recordStatements(url)
      return recorder.url
    },
  })
  await fillLogs()
  await useEverything()
})
afterAll(async () => {
  prepare.mockRestore()
  await service.stop()
  recorder?.stop()
})

/** The statements that the service has prepared, each once. */
const statements = (): string[] => [
  ...new Set(recorder ? recorder.recorded().map(({ sql }) => sql) : prepare.mock.calls.map(([sql]) => sql)),
]

const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)'

/** Enough rows that a planner does not choose to read them all. */
async function fillLogs(): Promise<void> {
  const { db } = service.context
  const fillings = [
    `INSERT INTO events (tx, type, data, at)
     ${numbers} SELECT n / 2000, 'category.deleted', '{"id":1,"name":"Dogs"}', n + ${longAgo - dayMs} FROM numbers`,
    `INSERT INTO webhook_deliveries (webhook_id, event_id, event_type, state, created_at)
     ${numbers} SELECT 100 + n % 3, 'evt_' || n, 'pet.created', 'delivered', ${longAgo} + n FROM numbers`,
    `INSERT INTO webhook_attempts (delivery_id, at, latency_ms) ${numbers} SELECT n, n, 1 FROM numbers`,
  ]
  for (const filling of fillings) {
    await db.transaction((tx) => tx.query(filling))
    // Statistics that SQLite never collects automatically.
    if (onPostgres) await db.transaction((tx) => tx.query('ANALYZE'))
  }
}

/** Runs every statement of the folders at least once; a test below checks that. */
async function useEverything(): Promise<void> {
  const { admin, context, clock } = service
  const { db } = context
  const staff = await service.newClient({ preset: 'staff' })
  await using receiver = await startReceiver()

  const from = new Date(longAgo - dayMs).toISOString()
  const { body: events } = await admin.get(`/events?from=${from}&to=${new Date(longAgo).toISOString()}&limit=2`)
  for (const query of ['sort=-id', `sort=-id&to=${from}`, `after=${events[0].id}`, 'after=evt_1_99999', 'after=latest'])
    await admin.get(`/events?${query}`)
  await fetch(`${service.url}/events/stream?after=latest`, { headers: { 'X-API-Key': admin.secret ?? '' } }).then(
    (response) => response.body?.cancel(),
  )

  const webhook = await newWebhook(staff, receiver.url, { events: ['category.created'] })
  await staff.newCategory()
  const [delivery] = await deliveriesOnce(staff, webhook, ([first]) => first?.state === 'delivered')
  for (const path of [
    '/webhooks',
    `${webhook.path}/deliveries?state=failed`,
    `${webhook.path}/deliveries/${delivery.id}`,
  ])
    await staff.get(path)
  await admin.get('/webhooks')
  await staff.post(`${webhook.path}/ping`)
  await staff.post(`${webhook.path}/rotate`, {})
  await staff.post(`${webhook.path}/deliveries/${delivery.id}/redeliver`)
  await staff.post(`${webhook.path}/replay`, { from })
  await staff.patch(webhook.path, { active: false })
  await staff.patch(webhook.path, { active: true })

  await db.transaction((tx) => setStart(tx, webhook.id, { tx: 0, id: 0 }, 1))
  await catchUp(db, service.context.shop.catalogue, clock.now())
  await db.transaction((tx) => reserve(tx, webhook.id, 10_000))
  await countWaiting(db, clock.now())
  await findNextDue(db, clock.now())
  for (const keyId of [undefined, staff.keyId]) await findFailing(db, keyId, 10)
  await findLatestAttempts(db, 10)
  await findOldestTime(db)
  await context.visibility.measure(clock.now())
  for await (const _ of scanEvents(db, 'category.created')) break
  await db.transaction(async (tx) => {
    const claimed = { id: delivery.id, claims: 99 } as DeliveryRow
    await release(tx, claimed, clock.now())
    insertAttempt(tx, claimed, {
      delivery_id: delivery.id,
      at: 0,
      status: 204,
      latency_ms: 1,
      error: null,
      response: null,
    })
  })
  receiver.response = 410
  await staff.post(`${webhook.path}/ping`)
  await deliveriesOnce(staff, webhook, ([first]) => first?.state === 'failed')
  await staff.delete(webhook.path)
  await newWebhook(staff, receiver.url, { active: false })
  await resealSecrets(db, createSigningSecrets(['k'.repeat(32)]))
  await forgetOldDeliveries(db, clock.now())
  // At first by a clock for which all events are in the future.
  await pruneEvents(db, { now: longAgo - dayMs, before: 0 })
  await pruneEvents(db, { now: clock.now(), before: longAgo - dayMs + 2_000 })
}

/** What a statement in the source of the folders consists of, apart from what is inserted into it. */
type Written = readonly string[]

const written: readonly Written[] = folders.flatMap((folder) =>
  [...new Glob(`server/src/platform/${folder}/*.ts`).scanSync()].flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/(['"`])((?:SELECT|INSERT|UPDATE|DELETE|WITH)\b(?:(?!\1)[\s\S])*)\1/g)].map(
      ([, , text = '']) => text.split(/\$\{[^}]*\}?/).map(withoutNumbers),
    ),
  ),
)

/** Merged statements number their parameters anew. */
function withoutNumbers(sql: string): string {
  return sql.replace(/[$?]\d+/g, '$')
}

function isMadeOf(sql: string, parts: Written): boolean {
  let at = 0
  return parts.every((part) => {
    const found = withoutNumbers(sql).indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
}

/** Statements that only the other engine needs. */
const elsewhere = onPostgres ? 'INSERT INTO event_log (one, base, timeline' : 'SELECT at FROM events WHERE tx >= '

test('every statement in the source of these folders is checked', () => {
  expect(written.length).toBeGreaterThan(45)
  const missing = written.filter((parts) => !statements().some((sql) => isMadeOf(sql, parts)))
  expect(missing.filter(([start]) => !start?.startsWith(elsewhere))).toEqual([])
})

/** Reads the first rows in the order of an index. */
const endsEarly = (sql: string) => /FROM \S+( a JOIN .*)?( WHERE TRUE)?\s+ORDER BY [\w., ]+ LIMIT/s.test(sql)

function faultsOnSqlite(sql: string): string[] {
  using db = new SqliteDatabase(databaseUrl.slice('sqlite:'.length), { readonly: true })
  const plan = db.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all()
  const steps = plan.map(({ detail }) => detail)
  const isSorted = steps.some((step) => step.includes('TEMP B-TREE'))
  return steps.filter((step) => scansLog.test(step) && (isSorted || !endsEarly(sql)))
}

/** By name, or by the alias that the statements give it. */
const scansLog = new RegExp(`^SCAN (${logs.join('|')}|[abd])( |$)`)

async function faultsOnPostgres(text: string): Promise<string[]> {
  await using sql = new SQL(databaseUrl, { max: 1 })
  await sql.unsafe('SET plan_cache_mode = force_generic_plan')
  // Even a short log is read by an index then, if one serves the statement.
  for (const scan of ['seqscan', 'bitmapscan']) await sql.unsafe(`SET enable_${scan} = off`)
  const parameters = new Set(text.match(/\$\d+/g)).size
  await sql.unsafe(`PREPARE planned AS ${text}`)
  const values = parameters === 0 ? '' : `(${Array(parameters).fill('NULL').join(', ')})`
  const [row] = await sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE planned${values}`)
  const [{ Plan }] = typeof row['QUERY PLAN'] === 'string' ? JSON.parse(row['QUERY PLAN']) : row['QUERY PLAN']
  return wholeReads(Plan, false)
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PlanNode[]
}

function wholeReads(node: PlanNode, isLimited: boolean): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', 'Index Cond': condition } = node
  const isWhole =
    logs.includes(table) &&
    /Scan/.test(type) &&
    type !== 'Tid Scan' &&
    (type === 'Seq Scan' || !(condition || isLimited))
  // A sort reads everything below it.
  const limits = type === 'Limit' || (isLimited && !/Sort|Aggregate|Hash/.test(type))
  return [
    ...(isWhole ? [`${type} on ${table}`] : []),
    ...(node.Plans ?? []).flatMap((inner) => wholeReads(inner, limits)),
  ]
}

test('none of them reads a whole log', async () => {
  const checked = statements().filter((sql) => written.some((parts) => isMadeOf(sql, parts)) && !/^EXPLAIN/.test(sql))
  const found: object[] = []
  for (const sql of checked) {
    const faults = onPostgres ? await faultsOnPostgres(sql) : faultsOnSqlite(sql)
    if (faults.length > 0) found.push({ sql, faults })
  }
  expect(found).toEqual([])
})
