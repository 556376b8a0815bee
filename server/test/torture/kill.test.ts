import { expect, test } from 'bun:test'
import { newSecret } from '../../src/platform/keys/secret.ts'
import { runService } from '../harness/run/run-service.ts'
import { newDirectory } from '../harness/scratch.ts'

test('kill -9 during a stream of new pets loses none that was acknowledged', async () => {
  using home = newDirectory()
  const key = newSecret()
  const env = { ADMIN_API_KEY: key, SAMPLE_DATA: 'false' }
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const acknowledged = new Set<number>()

  for (let round = 0; round < 3; round++) {
    await using running = runService({ cwd: home.path, env })
    await running.ready
    const post = (path: string, body: object) =>
      fetch(running.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
    const { id: categoryId } = (await (await post('/categories', { name: 'Dogs' })).json()) as { id: number }
    const target = acknowledged.size + 100 + round * 37
    const stream = async () => {
      for (;;) {
        const response = await post('/pets', { name: 'Rex', categoryId }).catch(() => undefined)
        if (response?.status !== 201) return
        const pet = (await response.json().catch(() => undefined)) as { id: number } | undefined
        if (pet) acknowledged.add(pet.id)
        if (acknowledged.size === target) void running.kill('SIGKILL')
      }
    }
    await Promise.all(Array.from({ length: 8 }, stream))
    await running.exited
    expect(acknowledged.size).toBeGreaterThanOrEqual(target)
  }

  await using running = runService({ cwd: home.path, env })
  await running.ready
  const found = new Set<number>()
  const ids = [...acknowledged]
  for (let start = 0; start < ids.length; start += 100) {
    const query = `ids=${ids.slice(start, start + 100)}&limit=100`
    const pets = (await (await fetch(`${running.url}/pets?${query}`, { headers })).json()) as { id: number }[]
    for (const { id } of pets) found.add(id)
  }
  expect(ids.filter((id) => !found.has(id))).toEqual([])
  expect(await running.kill('SIGTERM')).toBe(0)
})
