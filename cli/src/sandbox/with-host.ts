import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../terminal.ts'

/** Uses the host that PETSTORE_SANDBOX_URL names, or starts one for as long as it is needed, which leaves nothing behind. */
export async function withHost<T>(terminal: Terminal, work: (host: string) => Promise<T>): Promise<T> {
  const { env } = terminal
  if (env.PETSTORE_SANDBOX_URL) return work(env.PETSTORE_SANDBOX_URL)
  const { startTemporaryHost } = await import('@petstore/server/sandbox')
  const host = await startTemporaryHost(env)
  const interrupted = terminal.stopped().then((): never => {
    throw new Failure('Interrupted.', exitCodes.interrupted)
  })
  try {
    return await Promise.race([work(host.url), interrupted])
  } finally {
    await host.stop()
  }
}
