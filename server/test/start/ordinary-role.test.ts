import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createTestDatabase } from '../harness/database.ts'
import { call, startNodes } from '../harness/nodes.ts'

// All tests on PostgreSQL run as this role, unless they start their own server.

test.if(process.env.TEST_ENGINE === 'postgres')(
  'a role that only owns its database, with timeouts far too short, is enough for a first start and for orders',
  async () => {
    const database = await createTestDatabase()
    const name = new URL(database.url).pathname.slice(1)
    {
      await using sql = new SQL(database.url, { max: 1 })
      const [role] = await sql.unsafe(
        `SELECT rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls,
           pg_has_role(rolname, 'pg_read_all_settings', 'member') AS reads_settings,
           pg_has_role(rolname, 'pg_monitor', 'member') AS monitors
         FROM pg_roles WHERE rolname = current_user`,
      )
      expect(Object.values(role)).toEqual(Array(7).fill(false))
      // A migration takes longer, and so does a first start.
      await sql.unsafe(`ALTER DATABASE ${name} SET statement_timeout = '5ms'`)
      await sql.unsafe(`ALTER DATABASE ${name} SET idle_in_transaction_session_timeout = '5ms'`)
    }
    const cluster = await startNodes(1, {}, database.url)
    const admin = async (method: string, path: string, body?: unknown) =>
      call(cluster.nodes[0]?.url ?? '', cluster.adminSecret, method, path, body)
    const { body: category } = await admin('POST', '/categories', { name: 'Fish' })
    const { body: pet } = await admin('POST', '/pets', { name: 'Guppy', categoryId: category.id })
    expect((await admin('POST', '/store/orders', { petId: pet.id })).status).toBe(201)
    await cluster.stop()
    await database.remove()
  },
)
