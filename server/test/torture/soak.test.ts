import { expect, test } from 'bun:test'
import { createTestDatabase } from '../harness/database.ts'
import { asSuperuser } from '../harness/run/ordinary-role.ts'
import { type Sample, soak } from '../harness/soak.ts'

// The short form of `npm run soak`.

test('a short soak fails no request, and every figure of it is measured', async () => {
  const database = await createTestDatabase()
  const samples: Sample[] = []
  const onSample = (sample: Sample) => samples.push(sample)
  const monitorUrl = process.env.TEST_ENGINE === 'postgres' ? asSuperuser(database.url) : undefined
  await soak({ databaseUrl: database.url, monitorUrl, seconds: 4, everySeconds: 2, perSecond: 50, onSample })
  await database.remove()
  expect(samples.map(({ failed }) => failed)).toEqual([0, 0])
  // A busy machine may need one sample's time for its first request.
  const measured = (figure: (sample: Sample) => number) => samples.some((sample) => figure(sample) > 0)
  expect(measured(({ requests }) => requests)).toBe(true)
  expect(measured(({ statements = 1 }) => statements)).toBe(true)
  for (const { data } of samples) expect(data).toBeGreaterThan(0)
  // A leak would show only in an hour; this checks that the sample sees the process at all.
  if (process.platform === 'linux') expect(samples.at(-1)?.descriptors).toBeGreaterThan(10)
})
