import { afterAll, expect, test } from 'bun:test'
import { jobs } from '../../src/jobs.ts'
import { startService } from '../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

test('a new node runs each of its jobs within a minute', () => {
  const late = jobs(service.context).filter(({ everyMs, firstMs = everyMs }) => firstMs > 60_000)
  expect(late.map(({ name }) => name)).toEqual([])
})
