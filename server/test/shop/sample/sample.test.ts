import { afterAll, expect, test } from 'bun:test'
import { startService } from '../../harness/service.ts'

const service = await startService({ env: { SAMPLE_DATA: 'true' } })
afterAll(() => service.stop())

const dayMs = 86_400_000

test('the orders of the sample are spread over the past week, in the order of their ids', async () => {
  const { body: orders } = await service.admin.get('/store/orders?limit=100')
  const ages = (orders as { placedAt: string }[]).map(({ placedAt }) => service.clock.now() - Date.parse(placedAt))
  expect(ages).toEqual(ages.toSorted((one, other) => other - one))
  const days = new Set(ages.map((age) => Math.floor(age / dayMs)))
  expect([...days].toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
})

test('the log of the sample is in the order of time, so it can be searched by time', async () => {
  const times: string[] = []
  let path: string | undefined = '/events?limit=100'
  while (path) {
    const { body, headers } = await service.admin.get(path)
    times.push(...(body as { time: string }[]).map(({ time }) => time))
    path = /<[^>]*?(\/events[^>]*)>; rel="next"/.exec(headers.get('link') ?? '')?.[1]
    if (body.length < 100) break
  }
  expect(times.length).toBeGreaterThan(50)
  expect(times).toEqual(times.toSorted())
})
