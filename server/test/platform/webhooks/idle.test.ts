import { afterAll, expect, test } from 'bun:test'
import { webhooksChanged } from '../../../src/platform/webhooks/announce.ts'
import { eventually } from '../../harness/eventually.ts'
import { startReceiver } from './receiver.ts'
import { newWebhook, startShop } from './shop.ts'

// A service without webhooks has no cost for them.

const service = await startShop()
afterAll(() => service.stop())

/** The statements about webhooks sent during `work`. */
async function statementsAboutWebhooks(work: () => Promise<unknown>): Promise<string[]> {
  const { db } = service.context
  const { query, transaction } = db
  const seen: string[] = []
  const note = (sql: string) => {
    if (sql.includes('webhook')) seen.push(sql)
  }
  const spied: typeof transaction = (task, allowed) =>
    transaction((tx) => {
      const inside: typeof tx.query = (sql, params) => {
        note(sql)
        return tx.query(sql, params)
      }
      return task({ ...tx, query: inside })
    }, allowed)
  const counted: typeof query = (sql, params) => {
    note(sql)
    return query(sql, params)
  }
  Object.assign(db, { query: counted, transaction: spied })
  try {
    await work()
  } finally {
    Object.assign(db, { query, transaction })
  }
  return seen
}

test('without webhooks, no statement about them is sent, whatever happens in the shop', async () => {
  const sell = async () => {
    const petId = await service.admin.newPet(30)
    for (let count = 0; count < 30; count++) await service.admin.post('/store/orders', { petId })
  }
  await sell()
  expect(await statementsAboutWebhooks(sell)).toEqual([])
})

test('the first webhook is served immediately', async () => {
  await using receiver = await startReceiver()
  const seen = await statementsAboutWebhooks(async () => {
    await newWebhook(service.admin, receiver.url)
    await service.admin.newCategory()
    await eventually(() => receiver.received.length > 0)
  })
  expect(seen.length).toBeGreaterThan(0)
})

test('nodes are notified of a webhook that is created or changed', async () => {
  let isNotified = false
  service.context.db.listen(webhooksChanged, () => {
    isNotified = true
  })
  const { path } = await newWebhook(service.admin, 'https://shop.example/hooks', { active: false })
  await eventually(() => isNotified)
  isNotified = false
  await service.admin.patch(path, { active: true })
  await eventually(() => isNotified)
})
