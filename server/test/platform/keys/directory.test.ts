import { afterAll, expect, test } from 'bun:test'
import type { Database, Queryable } from '../../../src/platform/db/database.ts'
import { changesKeptMs, forgetKeyChanges } from '../../../src/platform/keys/announce.ts'
import { createKeyDirectory } from '../../../src/platform/keys/directory.ts'
import { eventually } from '../../harness/eventually.ts'
import { type Client, longAgo, startService, testClock } from '../../harness/service.ts'
import { skipTime } from '../../harness/skip-time.ts'

// The cache of a node that misses notifications of changed keys.

const service = await startService({ clock: testClock(longAgo) })
afterAll(() => service.stop())
const { db, clock } = service.context
const find = (directory: ReturnType<typeof createKeyDirectory>, { secret = '' }: Client) =>
  directory.find(secret, clock.now())
const revoke = ({ keyId }: Client) => service.admin.delete(`/keys/${keyId}`)

/** A directory that no notification reaches, and its key in the cache. */
async function newDirectory(aside: Queryable = db.aside) {
  const deaf: Database = { ...db, aside, listen: () => undefined }
  return { directory: createKeyDirectory(deaf), client: await service.newClient() }
}

test('a cached key is used for at most a second without word from the database', async () => {
  const { directory, client } = await newDirectory()
  expect(await find(directory, client)).toMatchObject({ keyId: client.keyId })
  await revoke(client)
  skipTime(1_000)
  expect(await find(directory, client)).toBeUndefined()
})

test('a cached key needs no read of the database', async () => {
  const { directory, client } = await newDirectory()
  await eventually(async () => {
    // On a busy machine a second may pass between these.
    await directory.refresh()
    await find(directory, client)
    return !(find(directory, client) instanceof Promise)
  })
})

test('a change whose notification was missed is found by the next check for changes', async () => {
  const { directory, client } = await newDirectory()
  await directory.refresh()
  expect(await find(directory, client)).toMatchObject({ keyId: client.keyId })
  await revoke(client)
  await directory.refresh()
  expect(await find(directory, client)).toBeUndefined()
})

test('after another database server took over, changes are found although its numbers are lower', async () => {
  let isBefore = true
  let timesAnswered = 0
  const aside: Queryable = {
    ...db.aside,
    async query<R>(sql: string, params?: Parameters<Queryable['query']>[1]) {
      if (!isBefore || !sql.includes('key_changes')) return db.aside.query<R>(sql, params)
      timesAnswered++
      return [{ position: Number.MAX_SAFE_INTEGER, id: null, key_id: 0 }] as R[]
    },
  }
  const { directory, client } = await newDirectory(aside)
  await directory.refresh()
  expect(timesAnswered).toBe(1)
  isBefore = false
  directory.forgetAll()
  expect(await find(directory, client)).toMatchObject({ keyId: client.keyId })
  await revoke(client)
  await directory.refresh()
  expect(await find(directory, client)).toBeUndefined()
})

test('a node that could not check for changes for as long as they are stored forgets every key', async () => {
  const { directory, client } = await newDirectory()
  await directory.refresh()
  await find(directory, client)
  await revoke(client)
  await db.transaction(async (tx) => tx.send('DELETE FROM key_changes WHERE key_id = $1', [client.keyId]))
  skipTime(changesKeptMs + 1)
  await directory.refresh()
  expect(await find(directory, client)).toBeUndefined()
})

test('a key that changes while it is read is not kept as it was', async () => {
  let meanwhile = async () => undefined as unknown
  const slow: Queryable = {
    ...db.aside,
    async query(sql, params) {
      const rows = await db.aside.query(sql, params)
      await meanwhile()
      return rows as never
    },
  }
  const { directory, client } = await newDirectory(slow)
  meanwhile = async () => {
    meanwhile = async () => undefined
    await revoke(client)
    directory.forget(client.keyId)
  }
  await find(directory, client)
  expect(await find(directory, client)).toBeUndefined()
})

test('a change is stored for longer than a node may go without checking for changes', async () => {
  const client = await service.newClient()
  await revoke(client)
  const storedAt = async (time: number) => {
    await forgetKeyChanges(db, time)
    return (await db.query('SELECT id FROM key_changes WHERE key_id = $1', [client.keyId])).length
  }
  expect(await storedAt(clock.now() + 2 * changesKeptMs)).toBe(1)
  expect(await storedAt(clock.now() + 2 * changesKeptMs + 1)).toBe(0)
})
