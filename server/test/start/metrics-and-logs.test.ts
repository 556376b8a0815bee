import { afterAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../harness/repository-files.ts'
import { freePort } from '../harness/run/free-port.ts'
import { startService } from '../harness/service.ts'

const port = await freePort()
const service = await startService({ env: { METRICS_PORT: String(port), LOG_LEVEL: 'info' } })
afterAll(() => service.stop())
const onPostgres = process.env.TEST_ENGINE === 'postgres'

const render = async () => (await fetch(`http://127.0.0.1:${port}/any/path`)).text()

test('the metrics are those that the operating page lists, for this engine', async () => {
  await service.admin.get('/pets')
  const page = readFileSync(join(repository, 'docs/operating.md'), 'utf8')
  const cells = page.split('\n').map((line) => /^\| ((?:`petstore_\w+`(?:, )?)+) \|/.exec(line)?.[1] ?? '')
  const listed = cells.flatMap((cell) => cell.match(/petstore_\w+/g) ?? [])
  // A test's clock does not follow the database's; cluster/clocks.test.ts reads that metric.
  const isElsewhere = onPostgres ? /_(sqlite_log_bytes|clock_offset_seconds)$/ : /^petstore_(limiter|clock)_/
  const expected = listed.filter((name) => !isElsewhere.test(name))
  const described = [...(await render()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name as string)
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
})
