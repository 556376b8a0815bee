import { describe, expect, test } from 'bun:test'
import { type Recorder, recordStatements } from '../../harness/run/record-statements.ts'
import { type Service, startService } from '../../harness/service.ts'
import { readPlans } from './plans.ts'

// The planned cost of statements in a new shop. npm run test:all checks all statements of the suite in the same way.

/** Uses each list and each kind of write. */
async function useShop({ admin, context }: Service): Promise<void> {
  const petId = await admin.newPet(10)
  const order = (await admin.post('/store/orders', { petId }, { 'Idempotency-Key': 'once' })).body.id
  await admin.post('/webhooks', { url: 'https://example.com/hook', events: ['*'] })
  await admin.patch(`/store/orders/${order}`, { quantity: 2 })
  await admin.patch(`/pets/${petId}`, { name: 'Max' })
  await admin.post(`/store/inventory/${petId}/adjustments`, { delta: 1 })
  const lists = [
    ...['', '?status=sold,pending&sort=name', '?q=gold', '?q=a', '?categoryId=1&status=sold', '?ids=1,2'].map(
      (query) => `/pets${query}`,
    ),
    ...['', '/counts', '/profiles', `/${petId}`, `/${petId}/profile`].map((path) => `/pets${path}`),
    ...['/categories', '/categories?q=dog', '/store/inventory', '/store/inventory?maxQuantity=1&status=sold'],
    ...['', '?complete=false', '?sort=shipDate', '?placedFrom=2026-01-01T00:00:00Z', `?petId=${petId}`].map(
      (query) => `/store/orders${query}`,
    ),
    ...[
      `/store/orders/${order}/history`,
      `/store/inventory/${petId}/movements`,
      '/keys',
      '/usage',
      '/limits',
      '/events',
    ],
    ...['/webhooks', '/webhooks/1/deliveries'],
  ]
  for (const path of lists) expect({ path, status: (await admin.get(path)).status }).toEqual({ path, status: 200 })
  await admin.delete(`/store/orders/${order}`)
  await context.usage.flush()
}

describe.if(process.env.TEST_ENGINE === 'postgres')('on PostgreSQL', () => {
  test('no statement has an expensive plan or would be compiled', async () => {
    let recorder: Recorder | undefined
    let straightUrl = ''
    const service = await startService({
      env: { SAMPLE_DATA: 'true' },
      by: async (url) => {
        straightUrl = url
        recorder = await recordStatements(url)
        return recorder.url
      },
    })
    await useShop(service)
    const { faults, plans } = await readPlans(straightUrl, recorder?.recorded() ?? [])
    await service.stop()
    recorder?.stop()
    expect(faults).toEqual([])
    expect(plans).toBeGreaterThan(50)
  })
})
