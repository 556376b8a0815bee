import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { type Client, type Service, startService } from '../../harness/service.ts'
import { hold } from './holder.ts'

// Another process has the write lock: a backup, a command, a shell. SQLite only.

describe.if(process.env.TEST_ENGINE !== 'postgres')('while another process has the write lock', () => {
  let service: Service
  let api: Client
  let path: string
  beforeAll(async () => {
    service = await startService()
    api = service.admin
    path = service.context.config.databaseUrl.slice('sqlite:'.length)
  })
  afterAll(() => service.stop())

  /** Starts a write; `isPending` says whether it is still running. */
  function write(name: string) {
    let isPending = true
    const response = api.post('/categories', { name }).finally(() => {
      isPending = false
    })
    return { response, isPending: () => isPending }
  }

  /** The statuses of reads and health checks that get a response before the write. */
  async function responsesBefore({ isPending }: { isPending(): boolean }, countMax: number): Promise<number[]> {
    const responses: number[] = []
    while (isPending() && responses.length < countMax) {
      const { status } = await api.get('/categories')
      const health = await fetch(`${service.url}/healthz`)
      await health.text()
      if (isPending()) responses.push(status, health.status)
    }
    return responses
  }

  test('reads and health checks get a response, and the write is done when the lock is free', async () => {
    const holder = await hold(path, 'BEGIN IMMEDIATE')
    const writing = write('Patient')
    expect(await responsesBefore(writing, 6)).toEqual([200, 200, 200, 200, 200, 200])
    await holder.release()
    expect((await writing.response).status).toBe(201)
    expect((await api.get('/categories?q=patient')).body).toHaveLength(1)
  })

  test('a write that waits too long is rejected with 503, is not done later, and can be retried', async () => {
    const holder = await hold(path, 'BEGIN IMMEDIATE')
    const writing = write('Impatient')
    expect(await responsesBefore(writing, 6)).toEqual([200, 200, 200, 200, 200, 200])
    const { status, body, headers } = await writing.response
    expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'unavailable', '1'])
    await holder.release()
    expect((await api.post('/categories', { name: 'After' })).status).toBe(201)
    expect((await api.get('/categories?q=impatient')).body).toEqual([])
    expect((await write('Impatient').response).status).toBe(201)
  })

  test('a long read of another process delays no write, however large the log grows', async () => {
    const holder = await hold(path, 'BEGIN', 'SELECT count(*) FROM pets')
    const categoryId = await api.newCategory()
    for (let round = 0; round < 12; round++) {
      const pets = Array.from({ length: 100 }, () => api.post('/pets', { name: 'Rex', categoryId }))
      expect(new Set((await Promise.all(pets)).map(({ status }) => status))).toEqual(new Set([201]))
    }
    await holder.release()
  })

  test('a backlog of writes is done in several commits, and other work runs between them', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'petstore-locked-'))
    const db = openSqlite(join(directory, 'test.db'))
    await db.transaction((tx) => tx.query('CREATE TABLE marks (id INTEGER PRIMARY KEY)'))
    let done = 0
    const writes = Array.from({ length: 2_000 }, (_, id) =>
      db.transaction((tx) => tx.query('INSERT INTO marks (id) VALUES ($1)', [id])).then(() => done++),
    )
    const seen = new Set<number>()
    while (done < writes.length) {
      await new Promise((resolve) => setImmediate(resolve))
      seen.add(done)
    }
    expect(seen.size).toBeGreaterThan(3)
    expect(await db.query('SELECT count(*) AS count FROM marks')).toEqual([{ count: 2_000 }])
    await db.close()
    rmSync(directory, { recursive: true, force: true })
  })
})
