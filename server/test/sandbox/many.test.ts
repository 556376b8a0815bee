import { afterAll, expect, test } from 'bun:test'
import { startTestHost, type TestSandbox } from '../harness/sandbox.ts'

const host = await startTestHost()
afterAll(() => host.stop())

const count = 200

/** Uses a sandbox as a test suite would, and returns the statuses, the names found and the number of recorded requests. */
async function useSandbox({ send }: TestSandbox, index: number): Promise<unknown[]> {
  const name = `Owls ${index}`
  const created = await send('POST', '/categories', { name })
  const found = await send('GET', '/categories')
  const requests = await send('GET', '/_sandbox/requests')
  const statuses = [created, found, requests].map(({ status }) => status)
  const names = found.body.map((each: { name: string }) => each.name)
  return [statuses.join(), names, requests.body.data.length]
}

test('200 sandboxes are made, used in parallel and ended', async () => {
  const keys = new Set<string>()
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const sandbox = await host.create({ data: 'empty' })
      keys.add(sandbox.apiKey)
      expect(await useSandbox(sandbox, index)).toEqual(['201,200,200', [`Owls ${index}`], 2])
      expect((await host.send('DELETE', `/sandboxes/${sandbox.id}`)).status).toBe(204)
    }),
  )
  expect(keys.size).toBe(count)
  expect((await host.send('GET', '/sandboxes')).body.data.map(({ id }: { id: string }) => id)).toEqual([host.ready.id])
})
