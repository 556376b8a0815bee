import { join } from 'node:path'
import { freePort } from '../scripts/free-port.ts'
import { newSecret } from '../server/src/keys/secret.ts'
import { pinned, type Target } from './load.ts'

const here = (file: string) => join(import.meta.dir, file)

export interface Started {
  readonly port: number
  readonly pid: number
  stop(): Promise<void>
}

/** Starts a server on the first core and waits until it says that it is ready. */
async function start(file: string, env: Record<string, string>): Promise<Started> {
  const port = await freePort()
  const child = Bun.spawn(pinned(0, ['bun', file]), {
    env: { ...process.env, ...env, PORT: String(port) },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  let said = ''
  for await (const chunk of child.stdout) {
    said += new TextDecoder().decode(chunk)
    if (said.includes('ready')) break
  }
  return {
    port,
    pid: child.pid,
    async stop() {
      child.kill()
      await child.exited
    },
  }
}

export const startBare = () => start(here('bare-server.ts'), {})
export const startOneCommit = (scratch: string) =>
  start(here('one-commit-server.ts'), { DATABASE_PATH: join(scratch, 'one-commit.db') })

/** This service as `npm start` runs it, with a key whose limits the load does not reach. */
export async function startService(scratch: string) {
  const admin = newSecret()
  const server = await start(here('../server/src/main.ts'), {
    DATABASE_URL: `sqlite:${join(scratch, 'service.db')}`,
    ADMIN_API_KEY: admin,
  })
  const send = async (method: string, path: string, key: string, body: unknown) => {
    const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
    const url = `http://127.0.0.1:${server.port}${path}`
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    return (await response.json()) as { secret: string; id: number }
  }
  const limits = { perMinute: 1_000_000_000, perDay: 1_000_000_000 }
  const { secret } = await send('POST', '/keys', admin, { name: 'Bench', plan: 'enterprise', limits, preset: 'staff' })
  const category = await send('POST', '/categories', secret, { name: 'Dogs' })
  const pet = await send('POST', '/pets', secret, { name: 'Rex', categoryId: category.id })
  await send('PUT', `/store/inventory/${pet.id}`, secret, { quantity: 1_000_000_000 })
  const target = (path: string): Target => ({ server, path, headers: { 'X-API-Key': secret } })
  return { ...server, petId: pet.id, target }
}
