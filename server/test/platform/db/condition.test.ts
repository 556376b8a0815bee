import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { copyFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { eventually } from '../../harness/eventually.ts'
import { ownProcesses } from '../../harness/own-processes.ts'
import type { RunningService } from '../../harness/run/run-service.ts'
import { startService } from '../../harness/service.ts'
import { hold } from './holder.ts'

// /readyz says why nothing can be written. SQLite only: the disk of PostgreSQL is its server's matter. Tests that mostly wait do it at the
// same time.

const { newHome, run } = ownProcesses()

/** Mounts a small disk that can be filled, if the user may do that, usually only root. */
function mountSmallDisk(): string | undefined {
  const disk = newHome()
  const { success, stderr } = Bun.spawnSync(['sh', '-c', 'mount -t tmpfs -o size=8m none "$0"', disk])
  if (success) return disk
  process.stdout.write(`skipped, because nothing can be mounted: a full disk (${stderr.toString().trim()})\n`)
  return undefined
}

async function readiness(url: string): Promise<[number, string]> {
  const response = await fetch(`${url}/readyz`)
  const { database } = (await response.json()) as { database: string }
  return [response.status, database]
}

/** Polls until the response changes: a result is valid for a second. */
const readinessOtherThan = (url: string, word: string): Promise<[number, string]> =>
  eventually(async () => {
    const found = await readiness(url)
    return found[1] !== word && found
  })

describe.if(process.env.TEST_ENGINE !== 'postgres')('readiness', () => {
  test('a removed or replaced file is noticed immediately, and no write is acknowledged', async () => {
    const service = await startService()
    const path = service.context.config.databaseUrl.slice('sqlite:'.length)
    const write = async (name: string) => (await service.admin.post('/categories', { name })).status
    expect(await readiness(service.url)).toEqual([200, 'ok'])

    renameSync(path, `${path}.away`)
    expect(await readiness(service.url)).toEqual([503, 'removed'])
    expect(await write('Lost')).toBe(503)
    copyFileSync(`${path}.away`, path)
    expect(await readiness(service.url)).toEqual([503, 'replaced'])
    expect(await write('Lost')).toBe(503)
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)

    renameSync(`${path}.away`, path)
    expect(await readiness(service.url)).toEqual([200, 'ok'])
    expect(await write('Kept')).toBe(201)
    expect((await service.admin.get('/categories')).body).toMatchObject([{ name: 'Kept' }])
    rmSync(path)
    expect(await readiness(service.url)).toEqual([503, 'removed'])
    await service.stop()
  })

  test('frequent checks write at most once a second', async () => {
    const path = join(newHome(), 'petstore.db')
    const db = openSqlite(path)
    await db.transaction((tx) => tx.query('PRAGMA user_version = 7'))
    const observer = new Database(path)
    const read = (pragma: string) => Object.values(observer.query(`PRAGMA ${pragma}`).get() as object)[0] as number
    let last = read('data_version')
    let commits = 0
    const started = performance.now()
    for (let checks = 0; checks < 500; checks++) {
      expect(await db.condition()).toBe('ok')
      const now = read('data_version')
      if (now !== last) commits++
      last = now
    }
    expect(commits).toBeGreaterThan(0)
    expect(commits).toBeLessThanOrEqual(1 + (performance.now() - started) / 1_000)
    expect(read('user_version')).toBe(7)
    observer.close()
    await db.close()
  })

  const key = newSecret()
  const env = { ADMIN_API_KEY: key, SAMPLE_DATA: 'false', DATABASE_URL: 'sqlite:petstore.db' }
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const send = async (running: RunningService, method: string, path: string, body?: object) => {
    const response = await fetch(running.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return { status: response.status, body: (await response.json()) as { id?: number; code?: string } }
  }

  const newCategory = async (running: RunningService): Promise<number | undefined> =>
    (await send(running, 'POST', '/categories', { name: 'Dogs' })).body.id

  /** Adds pets until nothing more is accepted, and returns the ids of those that were acknowledged. */
  async function addUntilRejected(running: RunningService, categoryId: number | undefined): Promise<number[]> {
    const ids: number[] = []
    for (;;) {
      const pet = { name: 'Rex'.repeat(50), categoryId }
      const responses = await Promise.all(Array.from({ length: 20 }, () => send(running, 'POST', '/pets', pet)))
      const rejected = responses.filter(({ status }) => status !== 201)
      ids.push(...responses.flatMap(({ body }) => body.id ?? []))
      if (rejected.length === 0) continue
      expect(new Set(rejected.map(({ status, body }) => `${status} ${body.code}`))).toEqual(
        new Set(['503 unavailable']),
      )
      // Something smaller may still fit.
      while ((await newCategory(running)) !== undefined);
      return ids
    }
  }

  async function expectAll(running: RunningService, ids: readonly number[]): Promise<void> {
    for (let start = 0; start < ids.length; start += 100) {
      const part = ids.slice(start, start + 100)
      const { body } = await send(running, 'GET', `/pets?ids=${part}&limit=100`)
      expect(body).toHaveLength(part.length)
    }
  }

  test.concurrent('a lock of another process makes it unready only when writes are rejected, and reads get a response', async () => {
    const service = await startService()
    const holder = await hold(service.context.config.databaseUrl.slice('sqlite:'.length), 'BEGIN IMMEDIATE')
    expect(await readiness(service.url)).toEqual([200, 'ok'])
    expect(await readinessOtherThan(service.url, 'ok')).toEqual([503, 'locked'])
    expect((await service.admin.get('/pets')).status).toBe(200)
    await holder.release()
    expect(await readinessOtherThan(service.url, 'locked')).toEqual([200, 'ok'])
    await service.stop()
  })

  test.concurrent('failing writes make it unready; reads work, and the next start has everything that was acknowledged', async () => {
    const home = newHome()
    // A file that may not exceed a megabyte fails like a broken disk.
    const limited = run(home, env, { before: ['bash', '-c', 'ulimit -f 1024; exec "$@"', '--'] })
    await limited.ready
    const ids = await addUntilRejected(limited, await newCategory(limited))
    expect(await readinessOtherThan(limited.url, 'ok')).toEqual([503, 'I/O error'])
    await expectAll(limited, ids)
    limited.kill('SIGKILL')
    await limited.exited
    const running = run(home, env)
    await running.ready
    expect(await readiness(running.url)).toEqual([200, 'ok'])
    await expectAll(running, ids)
  })

  test.concurrent('a full disk makes it unready even while its log has room for a small write', async () => {
    const disk = mountSmallDisk()
    if (disk === undefined) return
    try {
      const running = run(disk, env)
      await running.ready
      // From now on the log is written from its start again, so that it need not grow.
      const other = new Database(join(disk, 'petstore.db'))
      other.run('PRAGMA wal_checkpoint')
      other.close()
      expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(16 * 1024 * 1024))).toThrow('ENOSPC')
      expect(await newCategory(running)).toBeGreaterThan(0)
      expect(await readinessOtherThan(running.url, 'ok')).toEqual([503, 'disk full'])
      rmSync(join(disk, 'filler'))
      expect(await readinessOtherThan(running.url, 'disk full')).toEqual([200, 'ok'])
      expect(readdirSync(disk).filter((name) => name.endsWith('-room'))).toEqual([])
    } finally {
      Bun.spawnSync(['umount', '--lazy', disk])
    }
  })

  test.concurrent('a full disk makes it unready until there is room again', async () => {
    const disk = mountSmallDisk()
    if (disk === undefined) return
    try {
      const running = run(disk, env)
      await running.ready
      expect(await readiness(running.url)).toEqual([200, 'ok'])
      const categoryId = await newCategory(running)
      expect(() => writeFileSync(join(disk, 'filler'), Buffer.alloc(16 * 1024 * 1024))).toThrow('ENOSPC')
      const ids = await addUntilRejected(running, categoryId)
      expect(await readinessOtherThan(running.url, 'ok')).toEqual([503, 'disk full'])
      await expectAll(running, ids)
      rmSync(join(disk, 'filler'))
      expect(await readinessOtherThan(running.url, 'disk full')).toEqual([200, 'ok'])
      expect(await newCategory(running)).toBeGreaterThan(categoryId ?? 0)
      running.kill('SIGTERM')
      expect(await running.exited).toBe(0)
    } finally {
      Bun.spawnSync(['umount', '--lazy', disk])
    }
  })
})
