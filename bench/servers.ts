import { join } from 'node:path'
import { type RunningService, runService } from '../scripts/run-service.ts'
import { newSecret } from '../server/src/keys/secret.ts'
import { pinned, type Target } from './load.ts'

/** Starts a server on the first core. Its log is written as always, but nobody reads it. */
async function start(env: Record<string, string>, file?: string): Promise<RunningService> {
  const server = runService({
    before: pinned(0, []),
    env: { LOG_LEVEL: 'info', ...env },
    errorsAre: 'dropped',
    ...(file !== undefined && { file: join(import.meta.dir, file) }),
  })
  await server.ready
  return server
}

export const startBare = () => start({}, 'bare-server.ts')
export const startOneCommit = (scratch: string) =>
  start({ DATABASE_PATH: join(scratch, 'one-commit.db') }, 'one-commit-server.ts')

/** This service as `npm start` runs it, with a key whose limits the load does not reach. */
export async function startService(scratch: string) {
  const admin = newSecret()
  const server = await start({ DATABASE_URL: `sqlite:${join(scratch, 'service.db')}`, ADMIN_API_KEY: admin })
  const send = async (method: string, path: string, key: string, body: unknown) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const response = await fetch(server.url + path, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { secret: string; id: number }
  }
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const { secret } = await send('POST', '/keys', admin, { name: 'Bench', plan: 'enterprise', limits, preset: 'staff' })
  const category = await send('POST', '/categories', secret, { name: 'Dogs' })
  const pet = await send('POST', '/pets', secret, { name: 'Rex', categoryId: category.id })
  await send('PUT', `/store/inventory/${pet.id}`, secret, { quantity: 1_000_000_000 })
  const target = (path: string): Target => ({ server, path, headers: { 'X-API-Key': secret } })
  return { server, petId: pet.id, target }
}
