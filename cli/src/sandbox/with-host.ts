import type { Terminal } from '../terminal.ts'

/** Uses the host that PETSTORE_SANDBOX_URL names, or starts one for as long as it is needed. */
export async function withHost<T>({ env }: Terminal, work: (host: string) => Promise<T>): Promise<T> {
  if (env.PETSTORE_SANDBOX_URL) return work(env.PETSTORE_SANDBOX_URL)
  const { startTemporaryHost } = await import('@petstore/server/sandbox')
  const host = await startTemporaryHost(env)
  try {
    return await work(host.url)
  } finally {
    await host.stop()
  }
}
