import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { eventually } from '../../harness/eventually.ts'
import { startService } from '../../harness/service.ts'

test.if(process.env.TEST_ENGINE === 'postgres')(
  'every filter with every sort order is a list, and together they use every index of orders',
  async () => {
    const service = await startService()
    const staff = await service.newClient({ preset: 'staff' })
    const client = await service.newClient()
    const petId = await staff.newPet(10)
    await using sql = new SQL(service.context.config.databaseUrl, { max: 1 })
    const now = service.clock.now()
    await sql.unsafe(
      `INSERT INTO orders (key_id, pet_id, quantity, complete, ship_date, created_at)
       SELECT ${client.keyId} + n % 5, ${petId} + n % 7, 1, CASE WHEN n % 10 = 0 THEN 0 ELSE 1 END,
         CASE WHEN n % 2 = 0 THEN ${now} + n * 1000 END, ${now} + n FROM generate_series(1, 5000) AS n`,
    )
    const later = new Date(now + 10).toISOString()
    const filters = [
      ['', `petId=${petId}`],
      ['', 'complete=true', 'complete=false'],
      ['', `placedFrom=${later}`],
      ['', `shipFrom=${later}`],
      ['sort=id', 'sort=-id', 'sort=shipDate', 'sort=-shipDate'],
    ]
    const queries = filters.reduce<string[]>(
      (before, words) => before.flatMap((query) => words.map((word) => `${query}&${word}`)),
      [''],
    )
    expect(queries).toHaveLength(96)
    for (const query of queries) {
      const responses = [await staff.get(`/store/orders?${query}`), await client.get(`/store/orders?${query}`)]
      expect({ query, statuses: responses.map(({ status }) => status) }).toEqual({ query, statuses: [200, 200] })
    }
    const unused = async () =>
      (
        await sql.unsafe(
          "SELECT indexrelname AS name FROM pg_stat_user_indexes WHERE relname = 'orders' AND idx_scan = 0 ORDER BY 1",
        )
      ).map(({ name }: { name: string }) => name)
    // The server counts after a while.
    await eventually(async () => (await unused()).length === 0, unused)
    await service.stop()
  },
)
