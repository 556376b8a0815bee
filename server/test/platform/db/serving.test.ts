import { describe, expect, test } from 'bun:test'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { openSqlite } from '../../../src/platform/db/sqlite.ts'
import { newSecret } from '../../../src/platform/keys/secret.ts'
import { ownProcesses } from '../../harness/own-processes.ts'
import { hold } from './holder.ts'

// Two services on one file would count separately: a limit of 60 would admit 120.

describe.if(process.env.TEST_ENGINE !== 'postgres')('one file has one service', () => {
  const { newHome, run } = ownProcesses()
  const key = newSecret()
  const start = async (home: string, env: Record<string, string> = {}) =>
    run(home, { ADMIN_API_KEY: key, SAMPLE_DATA: 'false', ...env })
  const status = async (url: string) => (await fetch(`${url}/pets`, { headers: { 'X-API-Key': key } })).status

  test('a second start is rejected and names the process of the first, whatever path it uses', async () => {
    const home = newHome()
    const first = await start(home)
    await first.ready
    symlinkSync('petstore.db', join(home, 'data/shop.db'))
    for (const path of ['data/petstore.db', `${home}/data/petstore.db`, 'data/shop.db']) {
      const second = await start(home, { DATABASE_URL: `sqlite:${path}` })
      expect(await second.exited).toBe(1)
      expect(second.failure()).toStartWith(`The database ${path} is already served by process ${first.pid} on `)
    }
    expect(await status(first.url)).toBe(200)
  })

  test('the end of the first releases the file, even after kill -9', async () => {
    const home = newHome()
    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
      const running = await start(home)
      await running.ready
      running.kill(signal)
      await running.exited
      // A file left by a killed process blocks no one; a clean stop leaves none.
      expect(readdirSync(join(home, 'data')).includes('petstore.db-pid')).toBe(signal === 'SIGKILL')
    }
    const last = await start(home)
    await last.ready
    expect(await status(last.url)).toBe(200)
  })

  test('commands read, write and copy the file while it is served', async () => {
    const home = newHome()
    const path = join(home, 'data/petstore.db')
    const running = await start(home)
    await running.ready
    const command = openSqlite(path)
    await command.transaction((tx) => tx.query("INSERT INTO categories (name, name_folded) VALUES ('Mine', 'mine')"))
    expect(await command.query('SELECT name FROM categories')).toEqual([{ name: 'Mine' }])
    await command.close()
    const backup = await hold(path, `VACUUM INTO '${home}/backup.db'`)
    await backup.release()
    const restored = await start(home, { DATABASE_URL: 'sqlite:backup.db' })
    await restored.ready
    expect([await status(running.url), await status(restored.url)]).toEqual([200, 200])
  })

  test('within one process too, and a rejected start does not affect the first', async () => {
    const path = join(newHome(), 'petstore.db')
    const first = openSqlite(path, { serving: true })
    for (let tries = 0; tries < 2; tries++) {
      expect(() => openSqlite(path, { serving: true })).toThrow(`is already served by process ${process.pid} on `)
    }
    await first.close()
    await openSqlite(path, { serving: true }).close()
  })

  test('two processes can open a new file at the same time', async () => {
    const module = join(import.meta.dir, '../../../src/platform/db/sqlite.ts')
    const openAt = `const { openSqlite } = await import(${JSON.stringify(module)})
      while (Date.now() < Number(process.env.AT)) {}
      openSqlite(process.env.FILE)`
    for (let times = 0; times < 3; times++) {
      const env = { FILE: join(newHome(), 'petstore.db'), AT: String(Date.now() + 500) }
      const both = [1, 2].map(() => Bun.spawn([process.execPath, '-e', openAt], { env, stderr: 'inherit' }))
      expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0])
    }
  })

  test('a start waits while another process has the write lock, and fails with the reason if that takes too long', async () => {
    const home = newHome()
    const first = await start(home)
    await first.ready
    first.kill('SIGTERM')
    await first.exited
    const holder = await hold(join(home, 'data/petstore.db'), 'BEGIN IMMEDIATE')
    const second = await start(home)
    expect(await second.exited).toBe(1)
    expect(second.failure()).toBe('the database is unavailable (database is locked)')
    await holder.release()
  })
})
