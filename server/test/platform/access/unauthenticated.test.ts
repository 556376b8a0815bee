import { afterAll, expect, test } from 'bun:test'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { flood } from '../../harness/flood.ts'
import { type Service, startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

/** What was logged since the last time, except statements that are slow on a busy machine. */
function linesOf({ context, logged }: Service): Record<string, unknown>[] {
  context.log.flush()
  const lines = logged.splice(0).flatMap((text) => text.trim().split('\n'))
  return lines.map((line) => JSON.parse(line)).filter(({ message }) => message !== 'slow statement')
}

const rejectedSoFar = async () =>
  Number(/^petstore_unauthenticated_requests_total (\d+)$/m.exec(await service.context.metrics.render())?.[1])

test('requests without a valid key are counted, and logged in one line', async () => {
  const client = await service.newClient()
  linesOf(service)
  await flood(service.as(undefined), 20)
  await flood(service.as(newSecret()), 10)
  await flood(service.as(undefined), 10, 10, '/no/such/path')
  await flood(service.as(undefined), 25)
  await client.get('/no/such/path')
  expect(linesOf(service)).toMatchObject([{ message: 'request', status: 404, keyId: client.keyId }])
  expect(await rejectedSoFar()).toBe(65)

  service.context.requestLog.reportUnauthenticated()
  const line = { level: 'info', message: 'requests without a valid key were rejected' }
  expect(linesOf(service)).toMatchObject([{ ...line, statuses: { 401: 50, 404: 10, 429: 5 } }])
  service.context.requestLog.reportUnauthenticated()
  expect(linesOf(service)).toEqual([])

  await service.as(undefined).get('/pets')
  service.context.requestLog.reportUnauthenticated()
  expect(linesOf(service)).toMatchObject([{ ...line, statuses: { 429: 1 } }])
  expect(await rejectedSoFar()).toBe(66)
})

test('the last line is logged when the service stops', async () => {
  const other = await startService()
  await other.as(undefined).get('/pets')
  await other.restart()
  expect(linesOf(other)).toContainEqual(expect.objectContaining({ statuses: { 401: 1 } }))
  await other.stop()
})

test('at level debug each request has its own line', async () => {
  const verbose = await startService({ env: { LOG_LEVEL: 'debug' } })
  await verbose.as(undefined).get('/pets')
  expect(linesOf(verbose)).toContainEqual(expect.objectContaining({ level: 'debug', message: 'request', status: 401 }))
  await verbose.stop()
})
