import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { ownProcesses } from '../../harness/own-processes.ts'

// The file contains key hashes and all orders: only the user of the service may read it.

const { newHome, run } = ownProcesses()

const modeOf = (...path: string[]) => (statSync(join(...path)).mode & 0o7777).toString(8)

/** The modes of a directory and of everything in it. */
const modesIn = (directory: string) => ({
  directory: modeOf(directory),
  files: Object.fromEntries(readdirSync(directory).map((name) => [name, modeOf(directory, name)])),
})

async function startIn(home: string, env: Record<string, string> = {}) {
  const running = run(home, { SAMPLE_DATA: 'false', ...env })
  await running.ready
  return running
}

const ownerOnly = { 'petstore.db': '600', 'petstore.db-wal': '600', 'petstore.db-shm': '600' }

describe.if(process.env.TEST_ENGINE !== 'postgres')('on disk', () => {
  test('only its user can read the directories and files that the service creates', async () => {
    const home = newHome()
    await startIn(home)
    expect(modesIn(join(home, 'data'))).toMatchObject({ directory: '700', files: ownerOnly })
    expect(Object.values(modesIn(join(home, 'data')).files).filter((mode) => mode !== '600')).toEqual([])

    const elsewhere = newHome()
    await startIn(elsewhere, { DATABASE_URL: 'sqlite:deep/er/petstore.db' })
    expect(modeOf(elsewhere, 'deep')).toBe('700')
    expect(modesIn(join(elsewhere, 'deep/er'))).toMatchObject({ directory: '700', files: ownerOnly })
  })

  test('data/ and files that others could read are restricted at the next start', async () => {
    const home = newHome()
    const running = await startIn(home)
    running.kill('SIGKILL')
    await running.exited
    const data = join(home, 'data')
    expect(readdirSync(data)).toContain('petstore.db-wal')
    chmodSync(data, 0o755)
    for (const name of readdirSync(data)) chmodSync(join(data, name), 0o644)
    await startIn(home)
    expect(modesIn(data)).toMatchObject({ directory: '700', files: ownerOnly })
  })

  test('a directory that is not the service’s own keeps its mode; the files in it are restricted', async () => {
    const home = newHome()
    mkdirSync(join(home, 'shared'))
    chmodSync(join(home, 'shared'), 0o755)
    for (let start = 0; start < 2; start++) {
      const running = await startIn(home, { DATABASE_URL: 'sqlite:shared/petstore.db' })
      expect(modesIn(join(home, 'shared'))).toMatchObject({ directory: '755', files: ownerOnly })
      running.kill('SIGTERM')
      await running.exited
    }
    // A link from data/ to such a directory changes nothing.
    symlinkSync('shared', join(home, 'data'))
    await startIn(home)
    expect(modeOf(home, 'shared')).toBe('755')
  })

  test('something that is not a database, or not a file, is rejected and keeps its mode', async () => {
    const home = newHome()
    await Bun.write(join(home, 'notes.txt'), 'This is not a database.')
    chmodSync(join(home, 'notes.txt'), 0o644)
    mkdirSync(join(home, 'folder'))
    chmodSync(join(home, 'folder'), 0o755)
    for (const [name, mode] of [
      ['notes.txt', '644'],
      ['folder', '755'],
    ] as const) {
      const running = run(home, { DATABASE_URL: `sqlite:${name}` })
      expect(await running.exited).toBe(1)
      expect(running.errors()).toMatch(`The database ${name} cannot be opened (`)
      expect(modeOf(home, name)).toBe(mode)
    }
  })
})
