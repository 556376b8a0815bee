import { afterAll, expect, test } from 'bun:test'
import type { Database } from '../../../src/platform/db/database.ts'
import { fanOut } from '../../../src/platform/webhooks/fan-out.ts'
import { eventually } from '../../harness/eventually.ts'
import { startReceiver } from './receiver.ts'
import { categorySeen, type Made, newWebhook, startShop } from './shop.ts'

const service = await startShop()
afterAll(() => service.stop())

/** The same database, which calls `hook` in a transaction, once, right after it found the webhooks. */
function pausing(db: Database, hook: () => Promise<void>): Database {
  let isCalled = false
  return {
    ...db,
    transaction: (work, ...rest) =>
      db.transaction(
        (tx) =>
          work({
            ...tx,
            async query<R>(sql: string, params?: Parameters<typeof tx.query>[1]): Promise<R[]> {
              const rows = await tx.query<R>(sql, params)
              if (!isCalled && sql.includes('FROM webhooks w JOIN api_keys')) {
                isCalled = true
                await hook()
              }
              return rows
            },
          }),
        ...rest,
      ),
  }
}

// On SQLite nothing can be written during a transaction.
test.skipIf(process.env.TEST_ENGINE !== 'postgres')(
  'a webhook gets the first event after its creation, even if events are being assigned at that moment',
  async () => {
    await using receiver = await startReceiver()
    const client = await service.newClient({ preset: 'staff' })
    await newWebhook(client, `${receiver.url}/other`, { events: ['order.placed'] })
    const made = await eventually(async () => {
      let made: { webhook: Made; categoryId: number } | undefined
      const db = pausing(service.context.db, async () => {
        const webhook = await newWebhook(client, `${receiver.url}/new`, { events: ['category.created'] })
        const categoryId = await client.newCategory('First')
        await categorySeen(client, categoryId)
        made = { webhook, categoryId }
      })
      // The running service may be first, or the transaction too slow on a busy machine: then once more.
      await categorySeen(client, await client.newCategory('Something to assign'))
      const isDone = await fanOut(db, service.context.shop.catalogue, service.clock.now()).then(
        () => true,
        () => false,
      )
      return isDone && made
    })
    const { body: deliveries } = await client.get(`${made.webhook.path}/deliveries`)
    expect(deliveries).toHaveLength(1)
    const received = await eventually(() => receiver.received.find(({ path }) => path === '/new'))
    expect(received.event.data.id).toBe(made.categoryId)
  },
)
