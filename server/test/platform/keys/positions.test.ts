import { afterAll, expect, test } from 'bun:test'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

const service = await startService()
afterAll(() => service.stop())

test('a change whose notification was missed is found, whatever the clock of the node that made it', async () => {
  const { db } = service.context
  for (const changedAt of [1, service.clock.now() - 300_000, service.clock.now() + 86_400_000]) {
    const client = await service.newClient()
    expect((await client.get('/pets')).status).toBe(200)
    await db.transaction(async (tx) => {
      await tx.query('UPDATE api_keys SET revoked_at = $2 WHERE id = $1', [client.keyId, changedAt])
      const number = tx.dialect.transactionNumber('key_changes')
      await tx.query(`INSERT INTO key_changes (key_id, changed_at, tx) VALUES ($1, $2, ${number})`, [
        client.keyId,
        changedAt,
      ])
    })
    await eventually(async () => (await client.get('/pets')).status === 401)
  }
})
