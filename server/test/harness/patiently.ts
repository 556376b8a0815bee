import { DatabaseUnavailable } from '../../src/platform/db/database.ts'
import { eventually } from './eventually.ts'

// A busy service may reject work at first. It says when nothing was changed.

/** Far more than a busy machine needs. */
const triesMax = 60

/** Retries a request while the response is 503, each time after its Retry-After. */
export async function patiently<A extends { status: number; headers: Headers }>(send: () => Promise<A>): Promise<A> {
  for (let tries = 1; ; tries++) {
    const response = await send()
    if (response.status !== 503 || tries === triesMax) return response
    await Bun.sleep(Number(response.headers.get('retry-after')) * 1000)
  }
}

/** Repeats a transaction while the database has no room for it. */
export async function writePatiently<T>(write: () => Promise<T>): Promise<T> {
  const { result } = await eventually(async () => {
    try {
      return { result: await write() }
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable && error.effect === 'none')) throw error
      return undefined
    }
  })
  return result
}
