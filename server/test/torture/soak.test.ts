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
  await soak({ databaseUrl: database.url, monitorUrl, seconds: 2, everySeconds: 1, perSecond: 50, onSample })
  await database.remove()
  expect(samples.map(({ failed }) => failed)).toEqual([0, 0])
  for (const { requests, data, statements = 1 } of samples)
    expect(Math.min(requests, data, statements)).toBeGreaterThan(0)
  // A leak would show in an hour; here, that the sample sees the process at all.
  if (process.platform === 'linux') expect(samples.at(-1)?.descriptors).toBeGreaterThan(10)
})
